import type { Server, Socket } from 'node:net';
import { toNetwork } from './to-network.ts';
import { toPlainAddress } from './to-plain-address.ts';

/**
 * Keeps at most `max` connections. When one more arrives, the network with the most connections loses one: its oldest idle one, else
 * its newest. So no client can keep others out by holding connections.
 */
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
