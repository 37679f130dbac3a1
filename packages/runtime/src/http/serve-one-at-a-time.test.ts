import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startHttpServer } from './http-server.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** A server that the test answers for, and a client that sends everything at once. */
async function start(sent: string, maxConnections = 10) {
  const begun: string[] = [];
  const open: ServerResponse[] = [];
  const server = await startHttpServer(
    (request, response) => {
      begun.push(request.url ?? '');
      open.push(response);
      server.server.emit('begun');
    },
    { host: '127.0.0.1', port: 0 },
    0,
    { maxConnections },
  );
  const openSocket = async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const socket = await openSocket();
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  // `once` would reject if the connection is reset.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const isBegun = once(server.server, 'begun');
  socket.write(sent);
  await isBegun;
  return { server, socket, openSocket, closed, begun, open, received: () => received };
}

test('a second request on a connection that is being served ends it, and is never begun', async () => {
  const { server, closed, begun, open } = await start(get('/').repeat(2_000));
  const isGone = once(open[0] as ServerResponse, 'close');
  await Promise.all([closed, isGone]);
  expect(begun).toHaveLength(1);
  // Requests that were never served do not keep a server from stopping.
  await server.stop(10_000);
});

test('a request after an answer is served on the same connection', async () => {
  const { server, socket, begun, open, received } = await start(get('/1'));
  for (const path of ['/2', '/3']) {
    const answered = once(socket, 'data');
    open.at(-1)?.end(`answer ${path}`);
    await answered;
    const isNext = once(server.server, 'begun');
    socket.write(get(path));
    await isNext;
  }
  expect(begun).toEqual(['/1', '/2', '/3']);
  expect(received()).toMatch(/answer \/2[\s\S]*answer \/3/);
  socket.destroy();
  await server.stop(0);
});

test('a request whose body is read in part only is answered, and harms nothing', async () => {
  const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf';
  const { server, socket, open } = await start(post);
  const answered = once(socket, 'data');
  // Leaving the loop destroys the request.
  for await (const _ of open[0]?.req ?? []) break;
  open[0]?.end('enough');
  await answered;
  socket.destroy();
  await server.stop(10_000);
});

test('beyond the limit, connections without a request are closed first', async () => {
  const { server, socket, openSocket, open, received } = await start(get('/'), 3);
  const [first, second] = [await openSocket(), await openSocket()];
  const isClosed = once(first, 'close');
  const third = await openSocket();
  await isClosed;
  const answered = once(socket, 'data');
  open[0]?.end('served');
  await answered;
  expect([received().endsWith('served'), second.destroyed, third.destroyed]).toEqual([true, false, false]);
  for (const each of [socket, second, third]) each.destroy();
  await server.stop(0);
});
