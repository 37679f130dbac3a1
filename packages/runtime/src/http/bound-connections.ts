import type { RequestListener } from 'node:http';
import type { Server, Socket } from 'node:net';
import { toNetwork, toPlainAddress } from './addresses.ts';

/** Bounds connections: beyond `max`, the network with the most loses its oldest idle connection, else its newest. */
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

interface OneAtATime {
  listener: RequestListener;
  isServing(socket: Socket): boolean;
}

/** A request that comes on a connection while another is served there ends the connection: no client pipelines, and an attacker would for the work. */
export function serveOneAtATime(serve: RequestListener): OneAtATime {
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
