import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express, { type Response } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { replyWithList } from './replies.ts';

const pagesInAll = 5_000;
const row = { name: 'x'.repeat(100_000) };

test.each(['JSON', 'CSV'])(
  'a reader that does not read makes the server read ahead a few pages, not all of them, in %s',
  async (format) => {
    let pages = 0;
    async function* read() {
      for (; pages < pagesInAll; pages += 1) yield [row];
    }
    const begun = Promise.withResolvers<Response>();
    const app = express();
    app.get('/list', async (_request, response) => {
      if (format === 'CSV') response.locals.csv = { name: 'list', columns: ['name'], unpriced: [] };
      begun.resolve(response);
      await replyWithList(response, read(), (each) => each).catch(() => {});
    });
    app.get('/ping', (_request, response) => {
      response.end();
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const reader = connect(port, '127.0.0.1');
    onTestFinished(() => void reader.destroy());
    reader.write('GET /list HTTP/1.1\r\nHost: x\r\n\r\n');
    const response = await begun.promise;
    // The kernel may take more once or twice after it was full.
    for (let full = 0; full < 20; ) {
      await fetch(`http://127.0.0.1:${port}/ping`);
      if (response.writableNeedDrain || pages === pagesInAll) full += 1;
    }
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThan(pagesInAll / 10);
  },
);
