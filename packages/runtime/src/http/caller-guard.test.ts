import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { callerFields, createCallerGuard, type GuardedPort } from './caller-guard.ts';
import { startHttpServer } from './http-server.ts';

type Sent = Record<string, string>;

const servers: { stop(graceMs: number): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop(0))));

/** Sends a request to a guarded server. @returns status and headers */
async function startGuarded(port: Partial<GuardedPort> = {}) {
  const guard = createCallerGuard({ host: '127.0.0.1', ...port });
  const server = await startHttpServer(
    (received, response) => {
      if (guard.greet(received, response)) return;
      try {
        guard.assure(received);
        response.end();
      } catch (error) {
        response.writeHead((error as { status: number }).status).end();
      }
    },
    { host: '127.0.0.1', port: 0 },
  );
  servers.push(server);
  const { port: number } = new URL(server.url);
  return async (headers: Sent, method = 'POST', path = '/') => {
    const host = headers.host?.replace('PORT', number) ?? `127.0.0.1:${number}`;
    const origin = headers.origin && { origin: headers.origin.replace('PORT', number) };
    const call = request(server.url + path, { method, headers: { ...headers, ...origin, host } }).end();
    const [answer] = await once(call, 'response');
    answer.resume();
    return { status: answer.statusCode as number, headers: answer.headers as Sent };
  };
}

const loopback = await startGuarded();
const public_ = await startGuarded({ host: '0.0.0.0' });
const named = await startGuarded({ host: '0.0.0.0', allowedHosts: ['agents.acme.test'] });
const open = await startGuarded({
  allowedOrigins: ['https://console.acme.test', 'vscode-webview://*', 'tauri://localhost'],
  allowedHosts: ['agents.acme.test'],
  isPage: (path) => path === '/docs',
});

test.each([
  'localhost',
  'LOCALHOST:PORT',
  'localhost.:PORT',
  '127.0.0.1:PORT',
  '127.9.9.9',
  '[::1]:PORT',
  'proxy.agp.localhost',
  'host.docker.internal:8080',
])('a service on loopback accepts the host name %s', async (host) => {
  expect((await loopback({ host })).status).toBe(200);
});

test.each([
  'evil.test',
  'evil.test:PORT',
  '127.0.0.1.evil.test',
  'localhost.evil.test',
  '0.0.0.0:PORT',
  '10.0.0.7',
  'evil.test:@127.0.0.1',
])('a service on loopback refuses the host name %j', async (host) => {
  expect((await loopback({ host })).status).toBe(421);
});

test('elsewhere any name is accepted, or only ALLOWED_HOSTS and IP addresses, which cannot be redirected', async () => {
  expect((await public_({ host: 'evil.test' })).status).toBe(200);
  for (const host of ['agents.acme.test:443', '10.0.0.7:9080', 'localhost', '[fd00::1]'])
    expect((await named({ host })).status).toBe(200);
  for (const host of ['evil.test', '0.0.0.0', 'acme.test']) expect((await named({ host })).status).toBe(421);
  expect((await open({ host: 'agents.acme.test' })).status).toBe(200);
});

test.each<[Sent]>([
  [{}],
  [{ 'sec-fetch-mode': 'cors' }],
  [{ 'sec-fetch-site': 'none' }],
  [{ 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:PORT' }],
  [{ origin: 'http://127.0.0.1:PORT' }],
  [{ origin: 'https://localhost', host: 'localhost' }],
])('%j is not from another site', async (headers) => {
  expect((await loopback(headers)).status).toBe(200);
});

test.each<[Sent]>([
  [{ 'sec-fetch-site': 'cross-site' }],
  [{ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
  [{ 'sec-fetch-site': 'something-new' }],
  [{ origin: 'http://evil.test' }],
  [{ origin: 'http://127.0.0.1:1' }],
  [{ origin: 'http://localhost:PORT' }],
  [{ origin: 'null' }],
  [{ origin: '' }],
  [{ origin: 'vscode-webview://abc' }],
  [{ origin: 'chrome-extension://abc', 'sec-fetch-site': 'none' }],
  [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
])('%j is refused, and no header lets a page read the answer', async (headers) => {
  const answers = [
    await loopback(headers),
    await loopback({ ...headers, 'access-control-request-method': 'POST' }, 'OPTIONS'),
    await public_(headers),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('a page of an allowed origin may send requests and read the answers', async () => {
  for (const origin of ['https://console.acme.test', 'vscode-webview://0a1b', 'tauri://localhost']) {
    const asked = await open(
      {
        origin,
        'sec-fetch-site': 'cross-site',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key',
      },
      'OPTIONS',
    );
    expect([asked.status, asked.headers]).toMatchObject([
      204,
      {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'x-api-key',
        vary: 'Origin',
      },
    ]);
    const answer = await open({ origin, 'sec-fetch-site': 'cross-site' });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, origin]);
  }
  for (const origin of ['https://evil.console.acme.test', 'http://console.acme.test', 'tauri://other'])
    expect((await open({ origin })).status).toBe(403);
  const rebound = await open({ origin: 'https://console.acme.test', host: 'evil.test' });
  expect([rebound.status, rebound.headers['access-control-allow-origin']]).toEqual([421, undefined]);
});

test('a link from another site opens the listed pages, and nothing else', async () => {
  const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  expect((await open(visit, 'GET', '/docs?x')).status).toBe(200);
  expect((await open(visit, 'POST', '/docs')).status).toBe(403);
  expect((await open(visit, 'GET', '/api/v1/agents')).status).toBe(403);
  expect((await open({ ...visit, 'sec-fetch-dest': 'iframe' }, 'GET', '/docs')).status).toBe(403);
});

test('settings that would allow more than they seem to are refused', () => {
  for (const origins of [
    '*',
    'null',
    'https://*',
    'https://acme.test/',
    'https://acme.test/path',
    'acme.test',
    'HTTPS://acme.test',
    'https://a.test,',
  ])
    expect(callerFields.allowedOrigins.safeParse(origins).success, origins).toBe(false);
  expect(callerFields.allowedOrigins.parse('https://a.test:8443, app://*,file://')).toEqual([
    'https://a.test:8443',
    'app://*',
    'file://',
  ]);
  for (const hosts of ['*', 'a.test:80', 'https://a.test', 'a.test,', '*.a.test'])
    expect(callerFields.allowedHosts.safeParse(hosts).success, hosts).toBe(false);
  expect(callerFields.allowedHosts.parse('A.test, [::1]')).toEqual(['a.test', '[::1]']);
});
