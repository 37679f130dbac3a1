import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An address that stays the same while what is behind it comes and goes. */
export interface Relay extends AsyncDisposable {
  url: string;
  /** Connections accepted so far. */
  readonly connections: number;
  /** Passes new connections on to this address. */
  pointTo(url: string): void;
  /** Breaks every connection, and new ones until it is pointed somewhere again. */
  cut(): void;
}

/** Starts a TCP relay on loopback. */
export async function startRelay(target: string): Promise<Relay> {
  let to: URL | null = new URL(target);
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    if (to === null) {
      socket.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(to.port), to.hostname);
    for (const each of [socket, upstream]) {
      sockets.add(each);
      each.on('error', () => {});
      each.on('close', () => {
        sockets.delete(each);
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.pipe(upstream);
    upstream.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    to = null;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    pointTo(url) {
      to = new URL(url);
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
