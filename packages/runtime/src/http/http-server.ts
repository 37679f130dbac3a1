import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Bag } from '../bag.ts';
import { withTimeout } from '../process/keep-trying.ts';
import { toNetwork, toPlainAddress } from './caller-guard.ts';
import { refuseOtherHttp, refuseUnreadable } from './refuse-unreadable.ts';

/** Listeners on one event of a response. */
const expectedListeners = 30;

export interface HttpServer {
  url: string;
  server: Server;
  /** Goes on serving, and makes each response the last on its connection, so that clients move on. */
  drain(): void;
  stop(graceMs: number): Promise<void>;
}

/** How long a request's head may still take when everything else is done, in milliseconds. */
const lateHeadMs = 500;

/** The largest head of requests, and of answers that the proxy takes: four times what Node allows. */
export const maxHeadBytes = 64 * 1024;

interface ConnectionBounds {
  /** 10,000 if not given. */
  maxConnections?: number;
  /** How long idle connections are kept, 75 if not given: longer than balancers do, so that they close these, not we. */
  idleSeconds?: number;
}

/**
 * Listens, with bounds on slow and idle clients. `Keep-Alive` asks clients to keep no idle connection for longer than `drainDelaySeconds`:
 * each is used during the drain, and closed then, or dropped before the port closes.
 */
export async function startHttpServer(
  listener: RequestListener,
  address: { host: string; port: number },
  drainDelaySeconds = 0,
  { maxConnections = 10_000, idleSeconds = 75 }: ConnectionBounds = {},
): Promise<HttpServer> {
  const single = serveOneAtATime((request, response) => {
    if (!refuseOtherHttp(request, response)) listener(request, response);
  });
  const idleMs = idleSeconds * 1_000;
  const askedIdleMs = drainDelaySeconds === 0 ? idleMs : Math.min(drainDelaySeconds * 1_000, idleMs);
  const server = createServer(
    {
      keepAliveTimeout: askedIdleMs,
      keepAliveTimeoutBuffer: idleMs - askedIdleMs,
      headersTimeout: 20_000,
      maxHeaderSize: maxHeadBytes,
      // Bodies may be large and slow; the code that reads one limits how long it may be silent.
      requestTimeout: 0,
      connectionsCheckingInterval: 5_000,
      noDelay: true,
      // refuseOtherHttp answers it with a body.
      requireHostHeader: false,
    },
    single.listener,
  );
  server.maxHeadersCount = 0;
  boundConnections(server, maxConnections, single.isServing);
  const answers = followAnswers(server);
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
    drain: answers.makeLast,
    stop: (graceMs) => stopServer(server, answers, graceMs, drainDelaySeconds === 0 ? 0 : askedIdleMs),
  };
}

interface Answers {
  running: Bag<ServerResponse>;
  unused: Set<Socket>;
  /** Idle connections that a client expects to be kept: their last response had sent its headers before the stop. */
  promised: Set<Socket>;
  makeLast: () => void;
}

/**
 * Port closes -> running responses, up to `graceMs` -> promised connections, up to `keptMs` -> new connections, half a second -> half of a
 * head, half a second -> all is closed. http-terminator destroys all but the running ones at once, so a rolling restart loses requests.
 */
async function stopServer(server: Server, answers: Answers, graceMs: number, keptMs: number): Promise<void> {
  const { running, unused, promised, makeLast } = answers;
  const closed = once(server, 'close');
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  makeLast();
  // The kernel resets connections that are not accepted when the port closes.
  await setImmediate();
  // The HTTP server's own close would cut a response that was ended but whose bytes are still being sent.
  NetServer.prototype.close.call(server);
  await waitForAnswers(running);
  // The client of a long stream that has just ended may send its next request on the same connection.
  if (promised.size > 0) await withTimeout(waitForClose(promised), keptMs).catch(() => {});
  await waitForAnswers(running);
  // The request of a new connection may be about to arrive.
  const lateMs = Math.min(lateHeadMs, graceMs);
  if (unused.size > 0) await sleep(lateMs);
  await waitForAnswers(running);
  // No response is left, so now the HTTP server's own close: timers, and connections without a request.
  server.close(() => {});
  // The remaining connections have sent a part of a request's head.
  await withTimeout(closed, lateMs).catch(() => {});
  await waitForAnswers(running);
  server.closeAllConnections();
  await closed;
  clearTimeout(cut);
}

/** Waits until no response is running and the bytes that have arrived hold no further request. */
async function waitForAnswers(running: Bag<ServerResponse>): Promise<void> {
  do {
    while (running.size > 0) await Promise.all([...running].map((response) => once(response, 'close')));
    await setImmediate();
    await setImmediate();
  } while (running.size > 0);
}

async function waitForClose(sockets: Set<Socket>): Promise<void> {
  // `once` of node:events would reject if a connection ends with an error.
  const closing = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
  while (sockets.size > 0) await Promise.all([...sockets].map(closing));
}

function followAnswers(server: Server): Answers {
  const running = new Bag<ServerResponse>();
  const unused = new Set<Socket>();
  const promised = new Set<Socket>();
  let areLast = false;
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => {
      unused.delete(socket);
      promised.delete(socket);
    });
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    unused.delete(socket);
    promised.delete(socket);
    if (areLast) response.shouldKeepAlive = false;
    const leave = running.add(response);
    // More places listen for the end of a response than Node's limit, beyond which it warns of a leak.
    response.setMaxListeners(expectedListeners);
    response.once('close', () => {
      leave();
      if (areLast && response.shouldKeepAlive && !socket.destroyed) promised.add(socket);
    });
  });
  const makeLast = () => {
    areLast = true;
    for (const response of running) if (!response.headersSent) response.shouldKeepAlive = false;
  };
  return { running, unused, promised, makeLast };
}

/** Bounds connections: beyond `max`, the network with the most loses its oldest idle connection, else its newest. */
function boundConnections(server: NetServer, max: number, isServing: (socket: Socket) => boolean): void {
  const networks = new Map<string, Set<Socket>>();
  let total = 0;

  const endOne = () => {
    let largest: Set<Socket> = new Set();
    for (const sockets of networks.values()) if (sockets.size > largest.size) largest = sockets;
    let newest: Socket | undefined;
    for (const socket of largest) {
      if (socket.destroyed) continue;
      if (!isServing(socket)) {
        socket.destroy();
        return;
      }
      newest = socket;
    }
    newest?.destroy();
  };

  server.on('connection', (socket) => {
    const network = toNetwork(toPlainAddress(socket.remoteAddress) ?? '');
    const sockets = networks.get(network) ?? new Set();
    networks.set(network, sockets.add(socket));
    total += 1;
    socket.once('close', () => {
      total -= 1;
      sockets.delete(socket);
      if (sockets.size === 0 && networks.get(network) === sockets) networks.delete(network);
    });
    if (total > max) endOne();
  });
}

interface OneAtATime {
  listener: RequestListener;
  isServing(socket: Socket): boolean;
}

/** A request that comes on a connection while another is served there ends the connection: no client pipelines, and an attacker would for the work. */
function serveOneAtATime(serve: RequestListener): OneAtATime {
  const serving = new WeakSet<Socket>();
  return {
    listener(request, response) {
      const { socket } = request;
      if (serving.has(socket)) {
        socket.destroy();
        // Node emits no event for a response that was never started if its connection is gone.
        response.emit('close');
        return;
      }
      serving.add(socket);
      response.once('close', () => serving.delete(socket));
      serve(request, response);
    },
    isServing: (socket) => serving.has(socket),
  };
}
