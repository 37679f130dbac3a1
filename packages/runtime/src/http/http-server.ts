import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { boundConnections } from './bound-connections.ts';
import { refuseOtherHttp, refuseUnreadable } from './refuse-unreadable.ts';
import { serveInOrder } from './serve-in-order.ts';

/** Of one event of an answer. */
const expectedListeners = 30;

export interface HttpServer {
  /** `http://host:port`, with the port that was really taken. */
  url: string;
  server: Server;
  /** Goes on serving, and makes each answer from now on the last on its connection, so that kept-alive clients move on. */
  drain(): void;
  /** Stops accepting, waits up to `graceMs` for running requests, then ends what is left. */
  stop(graceMs: number): Promise<void>;
}

/** How long a head may take that was on its way when everything else was through, in milliseconds. */
const lateHeadMs = 500;

/** Connections of a server that is told of no other bound: more than its clients have. */
const defaultMaxConnections = 10_000;

/** Longer than the idle time of common load balancers, so that it is they who close idle connections. In milliseconds. */
const idleMs = 75_000;

/**
 * Listens, with bounds on slow and idle clients. Rejects when the port is taken.
 *
 * @param drainDelaySeconds how long a drain will take. Clients are asked (`Keep-Alive: timeout`) to keep no idle connection for longer: each that
 * they still have when the port closes was used during the drain, and closed, so none is closed just as a request comes
 * @param maxConnections beyond it, the network with the most of them loses one
 */
export async function startHttpServer(
  listener: RequestListener,
  address: { host: string; port: number },
  drainDelaySeconds = 0,
  maxConnections = defaultMaxConnections,
): Promise<HttpServer> {
  const ordered = serveInOrder((request, response) => {
    if (!refuseOtherHttp(request, response)) listener(request, response);
  });
  const askedIdleMs = drainDelaySeconds === 0 ? idleMs : Math.min(drainDelaySeconds * 1_000, idleMs);
  const server = createServer(
    {
      keepAliveTimeout: askedIdleMs,
      keepAliveTimeoutBuffer: idleMs - askedIdleMs,
      headersTimeout: 20_000,
      // Bodies may be large and slow; what reads one bounds its silence.
      requestTimeout: 0,
      connectionsCheckingInterval: 5_000,
      noDelay: true,
      // Refused here instead, with a body.
      requireHostHeader: false,
    },
    ordered.listener,
  );
  server.maxHeadersCount = 0;
  boundConnections(server, maxConnections, ordered.isServing);
  const answers = followAnswers(server);
  answerConnect(server);
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

/**
 * Node hands CONNECT over as a bare socket, and would end it without a word: here it is a request like any other, and the last
 * on its connection.
 */
function answerConnect(server: Server): void {
  const answer = (request: IncomingMessage, socket: Socket & { _httpMessage?: ServerResponse | null }) => {
    if (socket.destroyed) return;
    // Requests that came before it have their answers first.
    if (socket._httpMessage) {
      socket._httpMessage.once('close', () => void setImmediate().then(() => answer(request, socket)));
      return;
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    // Not its end alone, behind which a client that keeps its own half open would hold the connection for ever.
    response.once('finish', () => socket.destroySoon());
    server.emit('request', request, response);
  };
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    // Whatever follows was meant for the other end of a tunnel.
    socket.resume();
    answer(request, socket);
  });
}

interface Answers {
  /** Those that are not through yet. */
  running: Set<ServerResponse>;
  /** Connections on which no request has come yet. */
  unused: Set<Socket>;
  /** Idle connections whose clients were promised that they are kept: the head of their last answer was out before it could say otherwise. */
  promised: Set<Socket>;
  /** Each whose head is not out yet, and each later one, ends its connection. */
  makeLast: () => void;
}

/**
 * Stops accepting. Answers on their way are waited for, up to `graceMs`, and are the last on their connections:
 *
 *   the port closes -> running answers -> promised connections -> new connections -> half of a head -> all is closed
 *                                         up to `keptMs`         half a second      half a second
 *
 * @param keptMs how long clients were told that they may use an idle connection; one that was promised to them lives as long
 */
async function stopServer(server: Server, answers: Answers, graceMs: number, keptMs: number): Promise<void> {
  const { running, unused, promised, makeLast } = answers;
  const closed = once(server, 'close');
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  makeLast();
  // Right after a look for connections: one that waits to be accepted is reset when the port closes.
  await setImmediate();
  // Not the HTTP server's own close: it counts an answer as idle once it was ended, with bytes still on their way.
  NetServer.prototype.close.call(server);
  // Kept connections live as long as any answer does: what still comes on them is served.
  await waitForAnswers(running);
  // A long stream has just ended, and its client may send the next request where it came from.
  if (promised.size > 0) await Promise.race([waitForClose(promised), sleep(keptMs, undefined, { ref: false })]);
  await waitForAnswers(running);
  // The request of a connection that is new may be close behind.
  const lateMs = Math.min(lateHeadMs, graceMs);
  if (unused.size > 0) await sleep(lateMs);
  await waitForAnswers(running);
  // Now that no answer is on its way, the rest of it: timers, and connections without a request.
  server.close(() => {});
  // What remains has part of a request's head here.
  await Promise.race([closed, sleep(lateMs, undefined, { ref: false })]);
  await waitForAnswers(running);
  server.closeAllConnections();
  await closed;
  clearTimeout(cut);
}

/** Until none is running, nor has come with the bytes that were here already. */
async function waitForAnswers(running: Set<ServerResponse>): Promise<void> {
  do {
    while (running.size > 0) await Promise.all([...running].map((response) => once(response, 'close')));
    await setImmediate();
    await setImmediate();
  } while (running.size > 0);
}

async function waitForClose(sockets: Set<Socket>): Promise<void> {
  // Not `once` of node:events, which rejects where a connection ends with an error.
  const closing = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
  while (sockets.size > 0) await Promise.all([...sockets].map(closing));
}

function followAnswers(server: Server): Answers {
  const running = new Set<ServerResponse>();
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
    running.add(response);
    // What follows an answer to its end is in more places than Node takes for a leak: it would say so on the console.
    response.setMaxListeners(expectedListeners);
    response.once('close', () => {
      running.delete(response);
      if (areLast && response.shouldKeepAlive && !socket.destroyed) promised.add(socket);
    });
  });
  const makeLast = () => {
    areLast = true;
    for (const response of running) if (!response.headersSent) response.shouldKeepAlive = false;
  };
  return { running, unused, promised, makeLast };
}
