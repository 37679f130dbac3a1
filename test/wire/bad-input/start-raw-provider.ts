import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

export interface RawProvider extends AsyncDisposable {
  url: string;
}

/** Starts a provider that answers `?case=N` with the bytes of answer N, whatever they are, and ends the connection. */
export async function startRawProvider(answers: readonly string[]): Promise<RawProvider> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let head = '';
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      const wanted = /\?case=(\d+) /.exec(head)?.[1];
      if (wanted !== undefined && head.includes('\r\n\r\n')) socket.end(Buffer.from(answers[Number(wanted)] ?? ''));
    });
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: stop };
}
