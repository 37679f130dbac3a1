import { once } from 'node:events';
import { Agent, createServer as createHttpServer, request as httpRequest, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { errorTable } from '@agp/core/errors';
import { Readiness } from '@agp/runtime';
import { refusalText } from '@agp/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { startProcesses } from '../system/start-processes.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

async function startUpstream(listener: RequestListener) {
  const server = createHttpServer({ maxHeaderSize: 128 * 1024 }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A provider that refuses before it has the body. */
async function startHasty() {
  const refusal = 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}';
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .once('data', () => socket.write(refusal))
      .resume(),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => server.close(),
  };
}

const agent = new Agent({ keepAlive: true });

/** Nobody listens there, no other test either. */
const deadUrl = 'http://127.0.0.1:1';

const proxyOf = (system: System) => {
  const [proxy] = system.proxies;
  if (!proxy) throw new Error('the system has no proxy');
  return proxy;
};

const startWith = (provider: string, environment: Record<string, string> = {}) =>
  startSystem({ writers: 0, environment: { PROVIDER_OPENAI_URL: provider, ...environment } });

const startAnswering = () => startUpstream((_request, response) => setTimeout(() => response.end('{}'), 50));
let provider: Awaited<ReturnType<typeof startAnswering>>;
let hasty: Awaited<ReturnType<typeof startHasty>>;
/** For tests that need no settings; the last of them ends its proxy. */
let shared: System;

beforeAll(async () => {
  provider = await startAnswering();
  hasty = await startHasty();
  shared = await startWith(provider.url, { PROVIDER_DEAD_URL: deadUrl, PROVIDER_HASTY_URL: hasty.url });
});
afterAll(async () => {
  await shared?.[Symbol.asyncDispose]();
  hasty?.[Symbol.dispose]();
  await provider?.[Symbol.asyncDispose]();
});

const send = (system: System, path: string, init: RequestInit = {}) =>
  fetch(`${proxyOf(system).url}/${path}`, { ...init, headers: { 'x-agent-name': 'a', ...init.headers } });

async function openSocket(system: System): Promise<Socket> {
  const socket = connect(Number(new URL(proxyOf(system).url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const waitUntilIdle = (system: System) =>
  waitFor('every request to end', async () => (await readMetric(proxyOf(system), 'agp_proxy_running_requests')) === 0);

test('an upload to a provider that is down gets 502, whether it ends or hangs, and the proxy lives on', async () => {
  const upload = await send(shared, 'dead/v1/files', { method: 'POST', body: Buffer.alloc(1024 * 1024) });
  expect([upload.status, refusalText(await upload.json())]).toEqual([502, errorTable.provider_unreachable.message]);
  const socket = await openSocket(shared);
  socket.write('POST /dead/v1/files HTTP/1.1\r\nHost: localhost\r\nX-Agent-Name: a\r\nContent-Length: 10\r\n\r\nhello');
  // The proxy reads on for five seconds, then hangs up.
  await once(socket.resume(), 'close');
  await waitUntilIdle(shared);
  expect((await send(shared, 'dead/v1/models')).status).toBe(502);
});

test('a provider that refuses before it has the body is heard by an agent that sends all of it first', async () => {
  const socket = await openSocket(shared);
  const length = 20 * 1024 * 1024;
  socket.write(
    `POST /hasty/v1/files HTTP/1.1\r\nHost: localhost\r\nX-Agent-Name: a\r\nContent-Length: ${length}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(length));
  const [answer] = await Promise.all([once(socket, 'data'), once(socket, 'drain')]);
  expect(String(answer[0])).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
  await waitUntilIdle(shared);
});

test('what a trusted hop forwards counts as an address only if it is one', async () => {
  await using system = await startWith(provider.url, { TRUST_PROXY: '1' });
  for (const forwarded of ['admin; drop', 'x'.repeat(6_000), '203.0.113.7']) {
    const answer = await fetch(`${proxyOf(system).url}/openai/v1/models`, {
      headers: { 'x-forwarded-for': forwarded },
    });
    expect(answer.status).toBe(200);
  }
  const { rows } = await system.database.pool.query('SELECT name, source_ip FROM agents ORDER BY name');
  expect(rows).toEqual([
    { name: 'unnamed-127.0.0.1', source_ip: '127.0.0.1' },
    { name: 'unnamed-203.0.113.7', source_ip: '203.0.113.7' },
  ]);
});

test('heads of 60 kB pass both ways, and idle connections are kept as long as they are set to', async () => {
  await using echo = await startUpstream(({ headers }, response) =>
    response.setHeader('x-large', `${headers['x-large']}`).end('{}'),
  );
  await using system = await startWith(echo.url, { IDLE_CONNECTION_SECONDS: '620' });
  const headers = { 'x-agent-name': 'a', 'x-large': 'a'.repeat(60_000) };
  const sent = httpRequest(`${proxyOf(system).url}/openai/v1/models`, { headers, maxHeaderSize: 128 * 1024, agent });
  const [answer] = await once(sent.end(), 'response');
  expect([answer.statusCode, answer.headers['x-large']]).toEqual([200, headers['x-large']]);
  expect(answer.headers['keep-alive']).toBe('timeout=620');
  answer.resume();
  agent.destroy();
});

const askForUpgrade = async (path: string, upgrade: string) => {
  const socket = await openSocket(shared);
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Agent-Name: a\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`,
  );
  const [data] = await once(socket, 'data');
  socket.destroy();
  return String(data);
};

test('an offer to change the protocol is passed over', async () => {
  expect(await askForUpgrade('/openai/v1/models', 'h2c')).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  'openai/v1/responses',
  'agents/a/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent',
])('a WebSocket to %s is told to go on over HTTP, and counted once', async (path) => {
  const count = () => readMetric(proxyOf(shared), 'agp_proxy_refusals_total{code="upgrade_required"}');
  const before = (await count()) ?? 0;
  const answer = await askForUpgrade(`/${path}`, 'WebSocket');
  expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
  expect(answer).toMatch(/\r\nConnection: Upgrade, close\r\nUpgrade: HTTP\/1\.1\r\n/i);
  expect(refusalText(answer.slice(answer.indexOf('{')))).toBe(
    'WebSocket is not governed yet: send plain HTTP requests',
  );
  expect(await count()).toBe(before + 1);
});

test('bodies that would fill the memory if they were parsed cost little more than their bytes', async () => {
  await using provider = await startUpstream((request) => request.resume());
  await using system = await startProcesses({
    writers: 0,
    management: false,
    environment: {
      PROVIDER_OPENAI_URL: provider.url,
      NODE_OPTIONS: '--max-old-space-size=150',
    },
  });
  const body = Buffer.from(`{"model":"gpt-4o","messages":[${'{},'.repeat(3_000_000)}{}]}`);
  const leave = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const running = Array.from({ length: 2 }, () =>
    send(system, 'openai/v1/chat/completions', { method: 'POST', body, headers, signal: leave.signal }).catch(
      () => null,
    ),
  );
  await waitFor(
    'all bodies to be in',
    async () => (await readMetric(proxyOf(system), 'agp_proxy_buffered_bytes')) >= 2 * body.length,
  );
  expect(system.proxies[0]?.child.exitCode).toBeNull();
  leave.abort();
  await Promise.all(running);
  await waitUntilIdle(system);
  expect(await readMetric(proxyOf(system), 'agp_proxy_buffered_bytes')).toBe(0);
});

test('an agent that does not read its answer is given up after the time that a provider would have', async () => {
  await using provider = await startUpstream((_request, response) => {
    const piece = Buffer.alloc(64 * 1024);
    const push = () => {
      while (!response.destroyed && response.write(piece));
      response.once('drain', push);
    };
    push();
  });
  await using system = await startWith(provider.url, { UPSTREAM_TIMEOUT_SECONDS: '1' });
  const socket = await openSocket(system);
  socket.pause();
  socket.write('GET /openai/v1/endless HTTP/1.1\r\nHost: localhost\r\nX-Agent-Name: a\r\n\r\n');
  await waitFor(
    'the request to run',
    async () => (await readMetric(proxyOf(system), 'agp_proxy_running_requests')) === 1,
  );
  await waitUntilIdle(system);
  socket.destroy();
});

test('NATS being away does not take the proxy out of service', async () => {
  const looks = vi.spyOn(Readiness.prototype, 'look');
  await shared.stack.nats.kill();
  // Three looks that fail would make it unready.
  const look = () => Map.groupBy(looks.mock.contexts, (readiness) => readiness).values();
  await waitFor('four looks', () => [...look()].filter(({ length }) => length >= 4).length >= 2);
  looks.mockRestore();
  const ready = await fetch(`${proxyOf(shared).opsUrl}/readyz`);
  expect([ready.status, (await send(shared, 'openai/v1/models')).status]).toEqual([200, 200]);
  await shared.stack.nats.start();
});

test('on SIGTERM a busy keep-alive client loses no request, and does not keep the proxy from ending', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get = () =>
    new Promise<string>((resolve) => {
      const options = { agent, headers: { 'x-agent-name': 'a' } };
      httpRequest(`${proxyOf(shared).url}/openai/v1/models`, options, (answer) => {
        answer.resume().once('end', () => resolve(String(answer.statusCode)));
      })
        .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
        .end();
    });
  expect(await get()).toBe('200');
  const results: string[] = [];
  const client = (async () => {
    for (let result = '200'; result === '200'; ) {
      result = await get();
      results.push(result);
    }
  })();
  await waitFor('requests to be served', () => results.length > 2);
  await proxyOf(shared).stop();
  await client;
  // What comes after the end is refused at the door; nothing is cut in the midst.
  expect(new Set(results)).toEqual(new Set(['200', 'ECONNREFUSED']));
});
