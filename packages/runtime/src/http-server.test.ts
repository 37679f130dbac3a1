import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startHttpServer } from './http-server.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

test('a stop waits for an answer whose bytes are still on their way to a slow client', async () => {
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

test('a stop cuts what is not through in its time', async () => {
  const { url, stop } = await startHttpServer(() => {}, anyPort);
  const answer = once(get(url), 'response').catch((error: NodeJS.ErrnoException) => error.code);
  await sleep(100);
  await stop(200);
  expect(await answer).toBe('ECONNRESET');
});
