import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startHttpServer } from './http-server.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

test('a stop waits for a response that a slow client is still reading', async () => {
  const length = 20 * 1024 * 1024;
  const { url, stop } = await startHttpServer((_request, response) => response.end(Buffer.alloc(length)), anyPort);
  const [answer] = await once(get(url), 'response');
  await sleep(200);
  const stopped = stop(10_000);
  await sleep(200);
  let received = 0;
  for await (const chunk of answer) received += chunk.length;
  expect(received).toBe(length);
  await stopped;
});

test('a stop ends connections that are kept alive, and refuses new ones', async () => {
  const { url, stop } = await startHttpServer((_request, response) => response.end('{}'), anyPort);
  const agent = new Agent({ keepAlive: true });
  const [answer] = await once(get(url, { agent }), 'response');
  await answer.resume().toArray();
  await stop(10_000);
  await expect(once(get(url), 'response')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  agent.destroy();
});

test('a stop cuts responses that are not finished in time', async () => {
  const { url, stop } = await startHttpServer(() => {}, anyPort);
  const answer = once(get(url), 'response').catch((error: NodeJS.ErrnoException) => error.code);
  await sleep(100);
  await stop(200);
  expect(await answer).toBe('ECONNRESET');
});

const request = 'GET / HTTP/1.1\r\nHost: proxy\r\n\r\n';

/** A client on a bare connection. */
async function openConnection(
  url: string,
): Promise<{ socket: Socket; received: () => string; closed: Promise<unknown> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, received: () => text, closed };
}

const countAnswers = (text: string) => text.split('HTTP/1.1 200 OK').length - 1;

test('a drain goes on accepting, and makes each response the last on its connection', async () => {
  const { url, drain, stop } = await startHttpServer(
    (_request, response) => void setTimeout(() => response.end('{}'), 100),
    anyPort,
  );
  const [kept, running] = [await openConnection(url), await openConnection(url)];
  kept.socket.write(request);
  while (countAnswers(kept.received()) === 0) await sleep(5);
  expect(kept.received()).toContain('Connection: keep-alive');
  running.socket.write(request);
  await sleep(50);
  drain();
  const fresh = await openConnection(url);
  for (const { socket } of [kept, fresh]) socket.write(request);
  await Promise.all([kept.closed, running.closed, fresh.closed]);
  expect(countAnswers(kept.received())).toBe(2);
  for (const { received } of [kept, running, fresh]) expect(received()).toMatch(/Connection: close\r\n.+\{\}$/s);
  await stop(0);
});

test('what was sent when the port closes is answered: on a kept connection, on a new one, and where half of a head is here', async () => {
  const { url, stop } = await startHttpServer((_request, response) => response.end('{}'), anyPort);
  const [kept, half, fresh] = [await openConnection(url), await openConnection(url), await openConnection(url)];
  kept.socket.write(request);
  while (countAnswers(kept.received()) === 0) await sleep(5);
  half.socket.write(request.slice(0, 9));
  await sleep(50);
  await new Promise((resolve) => kept.socket.write(request, resolve));
  const stopped = stop(10_000);
  await sleep(100);
  half.socket.write(request.slice(9));
  fresh.socket.write(request);
  await stopped;
  await Promise.all([kept.closed, half.closed, fresh.closed]);
  expect([kept, half, fresh].map(({ received }) => countAnswers(received()))).toEqual([2, 1, 1]);
});

test('a client whose stream ends after the port has closed may send its next request on that connection', async () => {
  const finish = Promise.withResolvers<void>();
  let served = 0;
  const { url, drain, stop } = await startHttpServer(
    (_request, response) => {
      served += 1;
      response.write(served === 1 ? 'first' : 'second');
      void finish.promise.then(() => response.end());
    },
    anyPort,
    2,
  );
  const { socket, received, closed } = await openConnection(url);
  socket.write(request);
  while (!received().includes('first')) await sleep(10);
  expect(received()).toContain('Connection: keep-alive');
  drain();
  const stopped = stop(10_000);
  await sleep(50);
  finish.resolve();
  // Longer than an idle connection is kept otherwise, and shorter than the client was promised.
  await sleep(1_000);
  socket.write(request);
  await closed;
  expect(countAnswers(received())).toBe(2);
  expect(received()).toContain('Connection: close');
  await stopped;
});

test('a silent connection delays a stop for a moment only', async () => {
  const { url, stop } = await startHttpServer((_request, response) => response.end('{}'), anyPort);
  const { closed } = await openConnection(url);
  // A stop that waited for it would take all of its ten minutes.
  await stop(600_000);
  await closed;
});

test('clients are asked to drop idle connections within a drain’s time; the server itself keeps them longer', async () => {
  const { url, stop } = await startHttpServer((_request, response) => response.end('{}'), anyPort, 1);
  const { socket, received } = await openConnection(url);
  socket.write(request);
  while (countAnswers(received()) === 0) await sleep(5);
  expect(received()).toContain('Keep-Alive: timeout=1\r\n');
  await sleep(2_500);
  socket.write(request);
  while (countAnswers(received()) === 1) await sleep(5);
  await stop(0);
});

test('an idle connection is kept for as long as is set', async () => {
  const bounds = { idleSeconds: 1 };
  const { url, stop } = await startHttpServer((_request, response) => response.end('{}'), anyPort, 0, bounds);
  const { socket, received, closed } = await openConnection(url);
  socket.write(request);
  // By default it would be kept for longer than this test may take.
  await closed;
  expect(received()).toContain('Keep-Alive: timeout=1\r\n');
  await stop(0);
});

test('CONNECT is closed without an answer, as Node does', async () => {
  const { url, stop } = await startHttpServer((_request, response) => response.end(), anyPort);
  const { socket, received, closed } = await openConnection(url);
  socket.write('CONNECT elsewhere.test:443 HTTP/1.1\r\nHost: proxy\r\n\r\n');
  await closed;
  expect(received()).toBe('');
  await stop(0);
});
