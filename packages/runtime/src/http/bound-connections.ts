import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { toNetwork, toPlainAddress } from './addresses.ts';

/** Beyond `max`, the network with the most loses its oldest idle connection, else its newest. */
export function boundConnections(server: Server, max: number, isServing: (socket: Socket) => boolean): void {
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

/** No honest client sends more without reading answers. */
const maxWaiting = 32;

interface Line {
  /** Node takes it away from a request that is destroyed and answered. */
  socket: Socket;
  isServing: boolean;
  waiting: { request: IncomingMessage; response: ServerResponse }[];
}

interface OrderedListener {
  listener: RequestListener;
  isServing(socket: Socket): boolean;
}

/** One after the other: pipelining causes the work of one request at a time; too many waiting ones are cut. */
export function serveInOrder(serve: RequestListener): OrderedListener {
  const lines = new WeakMap<Socket, Line>();

  function openLine(socket: Socket): Line {
    const line: Line = { socket, isServing: false, waiting: [] };
    lines.set(socket, line);
    socket.once('close', () => drop(line));
    return line;
  }

  /** Node emits no event for responses that were never started if their connection is gone. */
  function drop({ waiting }: Line): void {
    for (const { response } of waiting.splice(0)) response.emit('close');
  }

  function start(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.isServing = true;
    response.once('close', () => {
      line.isServing = false;
      const { socket } = line;
      if (socket.destroyed || socket.writableEnded) drop(line);
      const next = line.waiting.shift();
      if (next) start(line, next.request, next.response);
    });
    serve(request, response);
  }

  return {
    listener(request, response) {
      const { socket } = request;
      const line = lines.get(socket) ?? openLine(socket);
      if (!line.isServing) {
        start(line, request, response);
        return;
      }
      line.waiting.push({ request, response });
      if (line.waiting.length > maxWaiting) socket.destroy();
    },
    isServing: (socket) => lines.get(socket)?.isServing ?? false,
  };
}
