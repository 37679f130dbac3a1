import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { refuseOtherHttp, refuseUnreadable } from './refuse-unreadable.ts';

export interface HttpServer {
  /** `http://host:port`, with the port that was really taken. */
  url: string;
  server: Server; drain(): void;
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
  const running = followAnswers(server);
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
    drain: () => {}, stop: (graceMs) => stopServer(server, running, graceMs),
  };
}

/** Stops accepting at once. Answers on their way are waited for, up to `graceMs`, and are the last on their connections. */
async function stopServer(server: Server, running: Set<ServerResponse>, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  for (const response of running) if (!response.headersSent) response.shouldKeepAlive = false;
  // Not the HTTP server's own close: it counts an answer as idle once it was ended, with bytes still on their way.
  NetServer.prototype.close.call(server);
  while (running.size > 0) await Promise.all([...running].map((response) => once(response, 'close')));
  // Now that no answer is on its way, the rest of it: timers, and connections without a request.
  server.close(() => {});
  server.closeAllConnections();
  await closed;
  clearTimeout(cut);
}

/** Keeps the answers that are not through yet; from the moment the server stops listening each is the last on its connection. */
function followAnswers(server: Server): Set<ServerResponse> {
  const running = new Set<ServerResponse>();
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (!server.listening) response.shouldKeepAlive = false;
    running.add(response);
    response.once('close', () => running.delete(response));
  });
  return running;
}
