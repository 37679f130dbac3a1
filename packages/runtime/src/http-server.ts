import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseOtherHttp, refuseUnreadable } from './refuse-unreadable.ts';

export interface HttpServer {
  /** `http://host:port`, with the port that was really taken. */
  url: string;
  server: Server;
  /** Stops accepting, waits up to `graceMs` for running requests, then ends what is left. */
  stop(graceMs: number): Promise<void>;
}

/** Listens, with bounds on slow and idle clients. Rejects when the port is taken. */
export async function startHttpServer(
  listener: RequestListener,
  address: { host: string; port: number },
): Promise<HttpServer> {
  const server = createServer(
    {
      // Longer than the idle time of common load balancers, so that it is they who close idle connections.
      keepAliveTimeout: 75_000,
      headersTimeout: 20_000,
      // Bodies may be large and slow; what reads one bounds its silence.
      requestTimeout: 0,
      connectionsCheckingInterval: 5_000,
      noDelay: true,
      // Refused here instead, with a body.
      requireHostHeader: false,
    },
    (request, response) => {
      if (!refuseOtherHttp(request, response)) listener(request, response);
    },
  );
  const endKeepAlive = endKeepAliveOn(server);
  refuseUnreadable(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    url: `http://${host}:${port}`,
    server,
    stop: (graceMs) =>
      new Promise((resolve) => {
        endKeepAlive();
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/**
 * A client that keeps its connection busy would otherwise be served until it is cut in the midst of a request.
 *
 * @returns a function after which every answer whose head is not out yet is the last on its connection
 */
function endKeepAliveOn(server: Server): () => void {
  const running = new Set<ServerResponse>();
  let ending = false;
  const follow = (_request: IncomingMessage, response: ServerResponse) => {
    if (ending) response.shouldKeepAlive = false;
    running.add(response);
    response.once('close', () => running.delete(response));
  };
  server.prependListener('request', follow);
  return () => {
    ending = true;
    for (const response of running) if (!response.headersSent) response.shouldKeepAlive = false;
  };
}
