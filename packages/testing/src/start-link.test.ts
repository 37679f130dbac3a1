import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Link, startLink } from './start-link.ts';

const echo = createServer((socket) => void socket.on('error', () => {}).pipe(socket));
let link: Link;
beforeAll(async () => {
  await once(echo.listen(0, '127.0.0.1'), 'listening');
  link = await startLink(`tcp://user:pass@127.0.0.1:${(echo.address() as AddressInfo).port}/name`);
});
afterAll(async () => {
  await link[Symbol.asyncDispose]();
  echo.close();
});

/** `once` would reject for one that is broken. */
const whenClosed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

async function open() {
  const url = new URL(link.over('tcp://user:pass@127.0.0.1:9/name'));
  expect(url.href).toMatch(/^tcp:\/\/user:pass@127\.0\.0\.1:\d{4,5}\/name$/);
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  let received = '';
  socket.on('data', (piece) => {
    received += piece;
  });
  await once(socket, 'connect');
  return { socket, read: () => received };
}

test('bytes arrive whole and in order, each later by the round trip that was set', async () => {
  const { socket, read } = await open();
  link.set({ delayMs: 100, loss: 0.3 });
  const started = performance.now();
  const text = Array.from({ length: 200 }, (_, index) => `piece ${index};`);
  for (const piece of text) socket.write(piece);
  await expect.poll(read).toBe(text.join(''));
  expect(performance.now() - started).toBeGreaterThan(95);
  link.set({});
  socket.destroy();
});

test('a silent link keeps what is sent until it is heard again; a cut one breaks and refuses', async () => {
  const { socket, read } = await open();
  link.set({ silent: true });
  socket.write('kept');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(read()).toBe('');
  link.set({});
  await expect.poll(read).toBe('kept');
  const closed = whenClosed(socket);
  link.cut();
  await closed;
  const { hostname, port } = new URL(link.over('tcp://127.0.0.1:9'));
  await whenClosed(connect(Number(port), hostname).on('error', () => {}));
  link.mend();
  const again = await open();
  again.socket.write('again');
  await expect.poll(again.read).toBe('again');
  again.socket.destroy();
});
