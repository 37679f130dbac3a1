import { once } from 'node:events';
import { connect } from 'node:net';
import { type Logger, startHttpServer } from '@agp/runtime';
import express from 'express';
import { expect, test } from 'vitest';
import { handleError } from './handle-error.ts';
import { replyWithList } from './replies.ts';

test('a caller that leaves before its list begins, or amid it, is no failure of ours; a list that cannot be read is', async () => {
  const logged: string[] = [];
  const logger = { error: (_: unknown, message: string) => logged.push(message) } as unknown as Logger;
  const [begun, ended]: [string[], string[]] = [[], []];
  const app = express();
  app.get('/:kind', async ({ params: { kind } }, response, next) => {
    begun.push(kind);
    async function* pages() {
      if (kind === 'late') await once(response, 'close');
      if (kind === 'broken') throw new Error('planted');
      for (let page = 0; page < 10_000; page += 1) yield [{ text: 'x'.repeat(10_000) }];
    }
    await replyWithList(response, pages(), (row) => row).catch(next);
    ended.push(kind);
  });
  app.use(handleError(logger));
  const { url, stop } = await startHttpServer(app, { host: '127.0.0.1', port: 0 });
  for (const kind of ['late', 'amid']) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`GET /${kind} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    if (kind === 'amid') await once(socket, 'data');
    else await expect.poll(() => begun).toContain(kind);
    socket.destroy();
    await expect.poll(() => ended).toContain(kind);
  }
  expect(logged).toEqual([]);
  expect((await fetch(`${url}/broken`)).status).toBe(500);
  expect(logged).toEqual(['request failed']);
  await stop(0);
});
