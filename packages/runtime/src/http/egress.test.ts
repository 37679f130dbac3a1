import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createEgress, direct, egressFields, egressProxyUrl } from './egress.ts';
import { EgressProxy, type EgressProxyError } from './egress-proxy.ts';
import { guardConnections } from './guard.ts';

const proxy = 'http://proxy.example:3128';
const find = (noProxy: string, url: string) => {
  const { protocol, hostname: host, port } = new URL(url);
  return createEgress({ httpsProxy: proxy, noProxy }).find({ protocol, hostname: host, port }) !== null;
};

test.each([
  ['', 'https://api.example', true],
  ['', 'https://api.example:8443', true],
  // HTTP_PROXY is not set.
  ['', 'http://api.example', false],
  ['api.example', 'https://api.example', false],
  ['API.example.', 'https://api.example', false],
  ['api.example', 'https://eu.api.example', false],
  ['api.example', 'https://other-api.example', true],
  ['.example, x', 'https://api.example', false],
  ['*.example', 'https://api.example', false],
  ['example', 'https://api.example', false],
  ['api.example:443', 'https://api.example', false],
  ['api.example:444', 'https://api.example', true],
  ['*', 'https://api.example', false],
  ['10.0.0.0/8', 'https://10.1.2.3', false],
  ['10.0.0.0/8', 'https://11.1.2.3', true],
  ['10.0.0.0/8', 'https://api.example', true],
  ['10.1.2.3:8443', 'https://10.1.2.3:8443', false],
  ['10.1.2.3:8443', 'https://10.1.2.3', true],
  ['fd00::/8', 'https://[fd00::1]', false],
  ['[fd00::1]:443', 'https://[fd00::1]', false],
  ['fd00::1', 'https://[fd00::2]', true],
  // In the cluster, and this machine.
  ['', 'https://localhost', false],
  ['', 'https://127.0.0.2', false],
  ['', 'https://[::1]', false],
  ['', 'https://model.ai.svc', false],
  ['', 'https://model.ai.svc.cluster.local', false],
  ['', 'https://model', false],
  ['', `https://${hostname()}`, false],
])('with NO_PROXY=%s, %s goes by the proxy: %s', (noProxy, url, goes) => {
  expect(find(noProxy, url)).toBe(goes);
});

test('without a proxy there is nothing to ask', () => {
  expect(createEgress({ noProxy: 'api.example' })).toBe(direct);
});

test.each([
  ['proxy.example:3128', 'http://proxy.example:3128'],
  ['https://user:p%40ss@proxy.example', 'https://user:p%40ss@proxy.example'],
  ['socks5://proxy.example', null],
  ['http://proxy.example/path', null],
  ['http://user:100%@proxy.example', null],
  ['http://', null],
])('%s is %s', (text, url) => {
  const { success, data = null, error } = egressProxyUrl.safeParse(text);
  expect([success, data]).toEqual([url !== null, url]);
  // It may hold a password.
  expect(error?.message ?? '').not.toContain('100%');
});

test.each(['10.0.0.0/', '10.0.0.0/33', 'fd00::/129', 'x, 10.0.0.0/8.5', '10.0.0.0/8/8'])(
  'NO_PROXY=%s is refused: it names no network',
  (text) => {
    const { error } = z.object(egressFields).safeParse({ noProxy: text });
    expect(error?.issues[0]?.message).toBe('must hold networks as 10.0.0.0/8 or fd00::/8');
  },
);

/** A proxy of which a test decides what it answers to CONNECT. */
async function startProxy(answer: (path: string, socket: Socket, authorization?: string) => void): Promise<string> {
  const server: Server = createServer().on('connect', ({ url = '', headers }, socket) => {
    socket.on('error', () => {});
    answer(url, socket as Socket, headers['proxy-authorization']);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const say = (socket: Socket, status: number) => socket.end(`HTTP/1.1 ${status} x\r\ncontent-length: 0\r\n\r\n`);
const target = { protocol: 'http:', hostname: 'model.example', port: '8000' };

test('a tunnel leads to the target, asked for with user and password', async () => {
  const asked: unknown[] = [];
  const host = await startProxy((path, socket, authorization) => {
    asked.push(path, authorization);
    socket.write('HTTP/1.1 200 x\r\n\r\n');
    socket.pipe(socket);
  });
  const socket = await new EgressProxy(`http://agp:s%20cret@${host}`, 'HTTPS_PROXY').open(target, 60_000);
  socket.write('there and back');
  expect(String((await once(socket, 'data'))[0])).toBe('there and back');
  socket.destroy();
  expect(asked).toEqual(['model.example:8000', `Basic ${Buffer.from('agp:s cret').toString('base64')}`]);
});

test('a proxy that gives no connection is named, with what it said, and without its password', async () => {
  const gone = await startProxy(() => {});
  const answers: [string, string, number | null][] = [
    [await startProxy((_, socket) => say(socket, 407)), 'it asks for another user or password (407)', 407],
    [await startProxy((_, socket) => say(socket, 403)), 'it refuses model.example:8000 (403)', 403],
    [await startProxy((_, socket) => say(socket, 503)), 'it cannot reach model.example:8000 (503)', 503],
    [await startProxy((_, socket) => socket.destroy()), 'it cannot be reached (UND_ERR_SOCKET)', null],
    ['127.0.0.1:1', 'it cannot be reached (ECONNREFUSED)', null],
    [gone, 'it gave no answer within 0.2 s', null],
  ];
  for (const [host, told, status] of answers) {
    const opened = new EgressProxy(`http://agp:s%20cret@${host}`, 'HTTPS_PROXY').open(
      target,
      host === gone ? 200 : 60_000,
    );
    const error = (await opened.catch((failed: unknown) => failed)) as EgressProxyError;
    const toCallers = told.replace('model.example:8000', 'the provider');
    expect(error).toMatchObject({ code: 'EGRESS_PROXY', told: toCallers, status, proxy: host, setting: 'HTTPS_PROXY' });
    expect(error.message).toBe(`egress proxy ${host} (HTTPS_PROXY): ${told}`);
  }
});

test('private addresses and names without a dot are refused before a proxy is asked', async () => {
  const asked: string[] = [];
  const host = await startProxy((path, socket) => {
    asked.push(path);
    say(socket, 403);
  });
  const egress = createEgress({ httpsProxy: `http://${host}`, httpProxy: `http://${host}` });
  const guard = { allowedHosts: ['inside.example'], setting: 'ALLOWED', timeoutMs: 60_000, egress };
  const open = guardConnections(guard, ((_: string, __: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: '10.0.0.1', family: 4 }])) as never);
  const fault = (protocol: string, name: string) =>
    promisify(open)({ protocol, hostname: name, host: name, port: '' }).catch(({ message }: Error) => message);
  expect(await fault('https:', '169.254.169.254')).toMatch(/^address is private/);
  expect(await fault('https:', 'metadata')).toMatch(/^address is private/);
  expect(await fault('http:', 'hooks.example')).toMatch(/^has no TLS/);
  expect(asked).toEqual([]);
  expect(await fault('https:', 'hooks.example')).toMatch(/it refuses hooks.example:443 \(403\)/);
  expect(await fault('http:', 'inside.example')).toMatch(/it refuses inside.example:80 \(403\)/);
  expect(asked).toEqual(['hooks.example:443', 'inside.example:80']);
});
