import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

let system: System;
let answer: (response: ServerResponse, path: string) => void = () => {};
let connections = 0;

const provider = createServer((request, response) => answer(response, request.url ?? ''));
provider.on('connection', () => {
  connections += 1;
});

beforeAll(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  system = await startSystem({ writers: 0, environment: { PROVIDER_OPENAI_URL: url } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
});

const get = (path: string) => `GET /openai/v1/${path} HTTP/1.1\r\nHost: localhost\r\nX-Agent-Name: a\r\n\r\n`;

/** Sends requests at once on one connection. */
async function pipeline(...paths: string[]) {
  const socket = connect(Number(new URL(system.proxies[0]?.url ?? '').port), '127.0.0.1').on('error', () => {});
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  // Not `once`, which rejects where the connection is reset.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  socket.write(paths.map(get).join(''));
  return { socket, closed, received: () => received };
}

test('requests that come at once on one connection open one to the provider, and very many end it', async () => {
  let running = 0;
  let most = 0;
  answer = (response) => {
    running += 1;
    most = Math.max(most, running);
    setTimeout(() => {
      running -= 1;
      response.end('{}');
    }, 10);
  };
  const { socket, received } = await pipeline(...Array.from({ length: 30 }, () => 'models'));
  await waitFor('all answers', () => received().split('HTTP/1.1 200 OK').length === 31);
  socket.destroy();
  expect([most, connections]).toEqual([1, 1]);
  const { closed } = await pipeline(...Array.from({ length: 2_000 }, () => 'models'));
  await closed;
  expect(most).toBe(1);
});

test('a provider that breaks off the second of two answers has the connection cut, behind the first', async () => {
  let first: ServerResponse | undefined;
  answer = (response, path) => {
    if (path.endsWith('first')) first = response;
    else response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
  };
  const { closed, received } = await pipeline('first', 'second');
  await waitFor('the first to be forwarded', () => first !== undefined);
  first?.end('whole');
  await closed;
  expect(received()).toMatch(/whole[\s\S]*half$/);
});
