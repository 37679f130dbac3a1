import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection: no honest client sends more without reading answers. */
const maxWaiting = 32;

interface Line {
  /** Node takes it away from a request that is destroyed and answered. */
  socket: Socket;
  /** A request of this connection is being served. */
  isServing: boolean;
  waiting: { request: IncomingMessage; response: ServerResponse }[];
}

export interface OrderedListener {
  listener: RequestListener;
  isServing(socket: Socket): boolean;
}

/**
 * Serves the requests of a connection one after the other: a client that pipelines many causes the work of one at a time, and a
 * handler has the connection to itself and may cut it. A connection with too many waiting requests is cut.
 */
export function serveInOrder(serve: RequestListener): OrderedListener {
  const lines = new WeakMap<Socket, Line>();

  function openLine(socket: Socket): Line {
    const line: Line = { socket, isServing: false, waiting: [] };
    lines.set(socket, line);
    socket.once('close', () => drop(line));
    return line;
  }

  /** Node emits no event for responses that were never started when their connection is gone. */
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
