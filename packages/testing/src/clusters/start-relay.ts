import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A stretch of network between two servers, which a test cuts and mends. */
export interface Relay extends AsyncDisposable {
  port: number;
  /** Breaks all connections and takes no more. */
  cut(): void;
  mend(): void;
  /** Breaks all connections; new ones lead to another port. */
  switchTo(port: number): void;
}

/** Passes connections on to a port of this machine. */
export async function startRelay(port: number): Promise<Relay> {
  let toPort = port;
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer({ noDelay: true }, (near) => {
    if (isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ host: '127.0.0.1', port: toPort, noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const cut = () => {
    isCut = true;
    breakAll();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend() {
      isCut = false;
    },
    switchTo(next) {
      toPort = next;
      breakAll();
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
