import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { type RunningService, type System, startSystem, waitFor } from '../system/start-system.ts';
import { openExchange, readAnswer } from './transparency/exchange-bytes.ts';

let fake: FakeProvider;
let system: System;
let hasty: RunningService;
let garbled: ReturnType<typeof createServer>;

beforeAll(async () => {
  fake = await startFakeProvider(answerCanned());
  garbled = createServer((socket) => socket.on('error', () => {}).on('data', () => socket.end('no HTTP\r\n\r\n')));
  garbled.listen(0, '127.0.0.1');
  await once(garbled, 'listening');
  system = await startSystem({
    environment: {
      PROVIDER_OPENAI_URL: fake.url,
      // Nobody listens there, and no other test gets that port.
      PROVIDER_GONE_URL: 'http://127.0.0.1:1',
      PROVIDER_NOWHERE_URL: 'http://nowhere.invalid',
      PROVIDER_PLAIN_URL: fake.url.replace('http:', 'https:'),
      PROVIDER_GARBLED_URL: `http://127.0.0.1:${(garbled.address() as AddressInfo).port}`,
    },
  });
  // For the test of that deadline alone.
  hasty = await system.start('proxy', { UPSTREAM_TIMEOUT_SECONDS: '1' });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await fake?.stop();
  garbled?.close();
});

const made = /^req_[0-9a-z]{26}$/;
const body = Buffer.from(JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] }));

async function send(headers: string[] = [], provider = 'openai', proxy = system.proxies[0]) {
  const all = ['Content-Type', 'application/json', 'X-Agent-Name', 'asker', ...headers];
  const url = `${proxy?.url}/${provider}`;
  return readAnswer(await openExchange(url, { method: 'POST', target: '/v1/chat/completions', headers: all, body }));
}

async function readEvent(eventId: unknown) {
  return waitFor('the event', async () => {
    const { rows } = await system.database.pool.query(
      `SELECT request_id, failure, outcome, http_status, provider_request_id, pii_scan
       FROM reporting.events WHERE event_id = $1`,
      [eventId],
    );
    return rows[0];
  });
}

test("the caller's id is recorded, shown and forwarded; the provider's own stays where it sends one", async () => {
  const id = 'my-"request"\\{1};%0d%0a';
  fake.handle(answerCanned());
  const answer = await send(['X-Request-Id', id]);
  const shown = { 'x-agp-request-id': id, 'x-request-id': 'req_openai_1' };
  expect(answer.headers).toMatchObject(shown);
  expect(fake.requests.at(-1)?.headers['x-request-id']).toBe(id);
  expect(await readEvent(answer.headers['x-event-id'])).toEqual({
    request_id: id,
    failure: null,
    outcome: 'completed',
    http_status: 200,
    provider_request_id: 'req_openai_1',
    pii_scan: 'full',
  });

  const forged = { 'X-Agp-Request-Id': 'forged', 'X-Error-Code': 'forged', 'X-Budget-Cap-Usd': '9' };
  fake.handle(() => ({ headers: forged, body: {} }));
  const bare = await send(['X-Request-Id', id]);
  expect(bare.headers).toMatchObject({ 'x-agp-request-id': id, 'x-request-id': id });
  expect([bare.headers['x-error-code'], bare.headers['x-budget-cap-usd']]).toEqual([undefined, undefined]);
});

test('without a usable id one is made, which the provider does not get; what the caller sent passes unchanged', async () => {
  fake.handle(() => ({ body: {} }));
  const { secret } = await system.api<{ secret: string }>('/api/v1/agent-tokens', {
    method: 'POST',
    body: JSON.stringify({ agent_name: 'asker-with-token' }),
  });
  const long = 'x'.repeat(10_000);
  const cases: { headers: string[]; forwarded: unknown }[] = [
    { headers: [], forwarded: undefined },
    { headers: ['X-Request-Id', long], forwarded: long },
    { headers: ['X-Request-Id', 'two words'], forwarded: 'two words' },
    { headers: ['X-Request-Id', 'a', 'X-Request-Id', 'b'], forwarded: 'a, b' },
    { headers: ['X-Request-Id', '\u00e9\u0085'], forwarded: '\u00e9\u0085' },
    { headers: ['X-Request-Id', ''], forwarded: '' },
  ];
  for (const { headers, forwarded } of cases) {
    const answer = await send(headers);
    expect([answer.status, fake.requests.at(-1)?.headers['x-request-id']]).toEqual([200, forwarded]);
    expect(answer.headers['x-request-id']).toMatch(made);
    expect((await readEvent(answer.headers['x-event-id'])).request_id).toBe(answer.headers['x-request-id']);
  }
  // A token reaches neither the provider nor the record.
  const asked = fake.requests.length;
  const refused = await send(['X-Request-Id', secret]);
  expect([refused.status, refused.headers['x-request-id']]).toEqual([401, expect.stringMatching(made)]);
  expect(fake.requests.length).toBe(asked);
});

test('an id is no key: those who use the same one keep their own events', async () => {
  fake.handle(() => ({ body: {} }));
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(['X-Request-Id', 'of-another'])));
  const ids = answers.map(({ headers }) => String(headers['x-event-id']));
  await Promise.all(ids.map(readEvent));
  const { rows } = await system.database.pool.query(
    `SELECT event_id FROM reporting.events WHERE request_id = 'of-another' ORDER BY event_id`,
  );
  expect(rows.map(({ event_id }) => event_id)).toEqual(ids.sort());
});

test.each([
  ['a line break in an id', 'X-Request-Id: a\r\n\tb\r\n'],
  ['a bare line feed in an id', 'X-Request-Id: a\nX-Agent-Name: other\r\n'],
  ['NUL in an id', 'X-Request-Id: a\0b\r\n'],
  ['no request at all', 'nonsense\r\n'],
])('%s: refused with a code and an id, or taken for none', async (_, lines) => {
  const { hostname, port } = new URL(system.proxies[0]?.url ?? '');
  const socket = connect(Number(port), hostname);
  socket.write(`GET /openai/v1/models HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n${lines}\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  const head = text.split('\r\n\r\n', 1)[0] ?? '';
  expect(head).toMatch(/^HTTP\/1\.1 (400 Bad Request|200 OK)\r\n/);
  expect(head).toMatch(/\r\nX-Request-Id: req_[0-9a-z]{26}(\r\n|$)/i);
  if (head.includes(' 400 ')) expect(head).toMatch(/\r\nX-Error-Code: malformed_request(\r\n|$)/i);
});

test('every refusal has its code, its id and the agent, and is listed with them', async () => {
  const base = system.proxies[0]?.url;
  const first = await send();
  const agentId = String(first.headers['x-agent-id']);
  const refusals = [
    { path: '/nobody/v1/models?key=secret', code: 'unknown_provider', status: 404, retry: 'false', agent: null },
    { path: '/openai/v1/%2e%2e/models', code: 'malformed_request', status: 400, retry: 'false', agent: null },
    { path: '/agents/other/openai/v1/models', code: 'malformed_request', status: 400, retry: 'false', agent: null },
    // Refused before anybody looked whose name that is.
    { path: '/openai/v1/files?uploadType=resumable', code: 'not_governed', status: 501, retry: 'false', agent: null },
    { path: '/openai/v1/models', code: 'rate_limited', status: 429, retry: null, agent: agentId },
  ];
  await system.database.pool.query("UPDATE agents SET requests_per_minute = 1 WHERE name = 'asker'");
  const ids: string[] = [];
  for (const { path, code, status, retry, agent } of refusals) {
    const id = `refused-${ids.push('')}`;
    const ask = async () => {
      const headers = ['X-Agent-Name', 'asker', 'X-Request-Id', id];
      return readAnswer(await openExchange(`${base}`, { method: 'GET', target: path, headers }));
    };
    const answer = await waitFor('the refusal', async () => {
      const given = await ask();
      return given.status !== 200 && given;
    });
    const names = ['x-error-code', 'x-should-retry', 'x-request-id', 'x-agp-request-id', 'x-agent-id'];
    const shown = names.map((name) => answer.headers[name] ?? null);
    expect([answer.status, ...shown]).toEqual([status, code, retry, id, id, agent]);
    expect(Object.keys(JSON.parse(answer.body.toString()))).toEqual(['error']);
  }
  await system.database.pool.query("UPDATE agents SET requests_per_minute = NULL WHERE name = 'asker'");
  const listed = await waitFor('the list', async () => {
    const { rows } = await system.database.pool.query(
      `SELECT reason, agent_id, provider, path, request_id, refused_at BETWEEN now() - interval '1 minute' AND now() AS is_now
       FROM reporting.refused_requests WHERE request_id LIKE 'refused-%' ORDER BY request_id`,
    );
    return rows.length === refusals.length && rows;
  });
  expect(listed).toEqual(
    refusals.map(({ path, code, agent }, index) => ({
      reason: code,
      agent_id: agent,
      provider: /nobody|%2e/.test(path) ? null : 'openai',
      // Neither the query nor an agent's name, and nothing of a target that cannot be read.
      path: path.includes('%2e') ? null : path.replace(/\?.*/, '').replace('/agents/other', ''),
      request_id: `refused-${index + 1}`,
      is_now: true,
    })),
  );
});

test.each([
  ['gone', 502, 'refused'],
  ['nowhere', 502, 'name_not_found'],
  ['plain', 502, 'tls'],
  ['garbled', 502, 'protocol'],
  ['openai', 502, 'reset'],
  ['openai', 504, 'timeout'],
] as const)('the provider %s: %i, and the event and a metric say %s', async (provider, status, cause) => {
  fake.handle(() => (cause === 'timeout' ? { hang: true } : { cut: true }));
  const proxy = cause === 'timeout' ? hasty : system.proxies[0];
  const count = () => readMetric(proxy, `agp_proxy_provider_failures_total{provider="${provider}",cause="${cause}"}`);
  const before = await count();
  const answer = await send([], provider, proxy);
  expect([answer.status, answer.headers['x-should-retry'], answer.headers['x-request-id']]).toEqual([
    status,
    undefined,
    expect.stringMatching(made),
  ]);
  expect(await readEvent(answer.headers['x-event-id'])).toMatchObject({ failure: cause, outcome: 'failed' });
  expect(await count()).toBe(before + 1);
});

test('a provider that breaks off in the middle of its answer is one that failed, too', async () => {
  fake.handle(() => ({
    headers: { 'content-type': 'text/event-stream' },
    body: { steps: ['data: {}\n\n', { cut: true }] },
  }));
  const answer = await send();
  expect([answer.status, answer.broken]).toEqual([200, true]);
  expect(await readEvent(answer.headers['x-event-id'])).toMatchObject({
    failure: 'reset',
    outcome: 'failed',
    http_status: 200,
  });
});
