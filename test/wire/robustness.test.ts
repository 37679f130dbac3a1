import { once } from 'node:events';
import { Agent, createServer as createHttpServer, request as httpRequest, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { startProcesses } from '../system/start-processes.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

async function startUpstream(listener: RequestListener) {
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
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

/** Nobody listens there, no other test either. */
const deadUrl = 'http://127.0.0.1:1';

const proxyOf = (system: System) => {
  const [proxy] = system.proxies;
  if (!proxy) throw new Error('the system has no proxy');
  return proxy;
};

const startWith = (provider: string, environment: Record<string, string> = {}) =>
  startSystem({ writers: 0, environment: { PROVIDER_OPENAI_URL: provider, ...environment } });

const send = (system: System, path: string, init: RequestInit = {}) =>
  fetch(`${proxyOf(system).url}/openai/v1/${path}`, { ...init, headers: { 'x-agent-name': 'a', ...init.headers } });

async function openSocket(system: System): Promise<Socket> {
  const socket = connect(Number(new URL(proxyOf(system).url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const waitUntilIdle = (system: System) =>
  waitFor('every request to end', async () => (await readMetric(proxyOf(system), 'agp_proxy_running_requests')) === 0);

test('an upload to a provider that is down gets 502, whether it ends or hangs, and the proxy lives on', async () => {
  await using system = await startWith(deadUrl);
  const upload = await send(system, 'files', { method: 'POST', body: Buffer.alloc(1024 * 1024) });
  expect([upload.status, await upload.json()]).toEqual([502, { error: 'provider unreachable' }]);
  const socket = await openSocket(system);
  socket.write(
    'POST /openai/v1/files HTTP/1.1\r\nHost: localhost\r\nX-Agent-Name: a\r\nContent-Length: 10\r\n\r\nhello',
  );
  // The proxy reads on for five seconds, then hangs up.
  await once(socket.resume(), 'close');
  await waitUntilIdle(system);
  expect((await send(system, 'models')).status).toBe(502);
});

test('a provider that refuses before it has the body is heard by an agent that sends all of it first', async () => {
  const refusal = 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}';
  const provider = createServer((socket) =>
    socket
      .on('error', () => {})
      .once('data', () => socket.write(refusal))
      .resume(),
  );
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  await using system = await startWith(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`);
  const socket = await openSocket(system);
  const length = 20 * 1024 * 1024;
  socket.write(
    `POST /openai/v1/files HTTP/1.1\r\nHost: localhost\r\nX-Agent-Name: a\r\nContent-Length: ${length}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(length));
  const [answer] = await Promise.all([once(socket, 'data'), once(socket, 'drain')]);
  expect(String(answer[0])).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
  await waitUntilIdle(system);
  provider.close();
});

test('on SIGTERM a busy keep-alive client loses no request, and does not keep the proxy from ending', async () => {
  await using provider = await startUpstream((_request, response) => setTimeout(() => response.end('{}'), 200));
  await using system = await startWith(provider.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get = () =>
    new Promise<string>((resolve) => {
      const options = { agent, headers: { 'x-agent-name': 'a' } };
      httpRequest(`${proxyOf(system).url}/openai/v1/models`, options, (answer) => {
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
  await sleep(500);
  await proxyOf(system).stop();
  await client;
  // What comes after the end is refused at the door; nothing is cut in the midst.
  expect(new Set(results)).toEqual(new Set(['200', 'ECONNREFUSED']));
});

test('NATS being away does not take the proxy out of service', async () => {
  await using provider = await startUpstream((_request, response) => response.end('{}'));
  await using system = await startWith(provider.url);
  await system.stack.nats.kill();
  // Three looks that fail would make it unready.
  await sleep(3_500);
  const ready = await fetch(`${proxyOf(system).opsUrl}/readyz`);
  expect([ready.status, (await send(system, 'models')).status]).toEqual([200, 200]);
});

test('what a trusted hop forwards counts as an address only if it is one', async () => {
  await using provider = await startUpstream((_request, response) => response.end('{}'));
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

test('an offer to change the protocol is passed over, but for WebSocket', async () => {
  await using provider = await startUpstream((_request, response) => response.end('{}'));
  await using system = await startWith(provider.url);
  const ask = async (upgrade: string) => {
    const socket = await openSocket(system);
    socket.write(
      `GET /openai/v1/models HTTP/1.1\r\nHost: localhost\r\nX-Agent-Name: a\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`,
    );
    const [data] = await once(socket, 'data');
    socket.destroy();
    return String(data).split(' ')[1];
  };
  expect([await ask('h2c'), await ask('websocket')]).toEqual(['200', '501']);
});

test('bodies that would fill the memory if they were parsed cost little more than their bytes', async () => {
  await using provider = await startUpstream((request) => request.resume());
  await using system = await startProcesses({
    writers: 0,
    management: false,
    environment: {
      PROVIDER_OPENAI_URL: provider.url,
      NODE_OPTIONS: '--max-old-space-size=300',
      // One agent alone has a quarter of it.
      MAX_BUFFERED_BYTES: String(2 * 1024 ** 3),
    },
  });
  const body = Buffer.from(`{"model":"gpt-4o","messages":[${'{},'.repeat(3_000_000)}{}]}`);
  const leave = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const running = Array.from({ length: 6 }, () =>
    send(system, 'chat/completions', { method: 'POST', body, headers, signal: leave.signal }).catch(() => null),
  );
  await waitFor(
    'all bodies to be in',
    async () => (await readMetric(proxyOf(system), 'agp_proxy_buffered_bytes')) >= 6 * body.length,
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
