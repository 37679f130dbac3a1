import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiKey } from '@agp/core/contracts';
import type { RoleUrls } from '@agp/testing';
import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { makeToken } from '../control/support/admin-calls.ts';
import { followBus, Outputs, readApi, readMetrics, readRedis, readTables } from '../control/support/find-canaries.ts';
import { startProcesses } from '../system/start-processes.ts';
import { type System, waitFor } from '../system/start-system.ts';
import { startCollector } from './tracing/start-collector.ts';

/** Obviously no secrets: each is found by its name alone. */
const canary = (name: string) => `canary-${name}-is-not-a-secret`;
const injectedKey = canary('injected-provider-key');

const callers = {
  bearer: canary('bearer'),
  apiKey: canary('x-api-key'),
  googleKey: canary('x-goog-api-key'),
  azureKey: canary('api-key'),
  queryKey: canary('query-key'),
  cookie: canary('cookie'),
  proxyAuthorization: canary('proxy-authorization'),
  basic: canary('basic-password'),
};

interface Sent {
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };

/** Shows every credential of a caller in every place that one can be in, to a provider. */
function listCalls(provider: string, agentName: string): Sent[] {
  const path = `/${provider}/v1/chat/completions`;
  const named = { 'x-agent-name': agentName };
  const headers = [
    { authorization: `Bearer ${callers.bearer}` },
    { authorization: `Basic ${Buffer.from(`user:${callers.basic}`).toString('base64')}` },
    { 'x-api-key': callers.apiKey },
    { 'x-goog-api-key': callers.googleKey },
    { 'api-key': callers.azureKey },
    { cookie: `session=${callers.cookie}` },
    { 'proxy-authorization': `Bearer ${callers.proxyAuthorization}` },
  ];
  return [
    ...headers.map((shown) => ({ path, headers: { ...named, ...shown }, body: chat })),
    { path: `${path}?key=${callers.queryKey}&trace=1`, headers: named, body: chat },
    { path: `${path}?key=${callers.queryKey}`, headers: named, body: { ...chat, stream: true } },
  ];
}

async function send(url: string, { path, headers = {}, body }: Sent, outputs: Outputs): Promise<number> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body ?? {}),
  });
  outputs.add(`answers ${answer.status}`, JSON.stringify([...answer.headers]) + (await answer.text()));
  return answer.status;
}

/** Requests that are refused, each for another reason, with a token in them. */
async function sendRefused(system: System, secrets: { token: string; revoked: string }, outputs: Outputs) {
  const url = system.proxies[0]?.url ?? '';
  const withToken = { 'x-agent-token': secrets.token };
  const body = chat;
  const path = '/plain/v1/chat/completions';
  const refused = [
    await send(url, { path, headers: { 'x-agent-token': secrets.revoked }, body }, outputs),
    await send(url, { path, headers: { 'x-agent-token': canary('no-token') }, body }, outputs),
    await send(url, { path, headers: { authorization: `Bearer agp_${canary('wrong-token')}` }, body }, outputs),
    await send(url, { path, headers: { ...withToken, 'x-agent-name': 'somebody-else' }, body }, outputs),
    await send(url, { path, headers: { ...withToken, authorization: `Bearer ${secrets.revoked}` }, body }, outputs),
    await send(url, { path: `/nowhere/v1?key=${secrets.token}`, body }, outputs),
    await send(url, { path: `/plain//v1?key=${secrets.token}`, body }, outputs),
    await send(url, { path: `/openai/v1/%61${secrets.token.slice(1)}`, headers: withToken, body }, outputs),
    await send(url, { path: `/openai/v1/x%2561${secrets.token.slice(1)}`, headers: withToken, body }, outputs),
    await send(url, { path, headers: { ...withToken, 'x-session-id': `ses_${secrets.token}` }, body }, outputs),
  ];
  for (const status of refused) expect(status).toBeGreaterThanOrEqual(400);
}

/** Each role's password of each server, by both their names. */
function listPasswords(urls: RoleUrls): Record<string, string> {
  const named = Object.entries(urls).flatMap(([role, ofRole]) =>
    Object.entries<string>(ofRole).map(([name, url]) => [`${role} ${name}`, new URL(url).password]),
  );
  return Object.fromEntries(named);
}

test('no credential is in any log, span, metric, event, message, audit row, table, answer or error', async () => {
  const outputs = new Outputs();
  await using provider = await startFakeProvider((received, index) =>
    received.target.includes('fails') ? { cut: true } : answerCanned()(received, index),
  );
  await using collector = await startCollector();
  await using system = await startProcesses({
    onOutput: (text) => outputs.add('logs', text),
    environment: {
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      PROVIDER_OPENAI_URL: provider.url,
      PROVIDER_OPENAI_API_KEY: injectedKey,
      PROVIDER_ANTHROPIC_URL: provider.url,
      PROVIDER_GEMINI_URL: provider.url,
    },
  });
  const stopFollowing = await followBus(system, outputs);
  const url = system.proxies[0]?.url ?? '';

  const key = await system.api<ApiKey & { secret: string }>('/api/v1/keys', {
    method: 'POST',
    body: JSON.stringify({ name: 'canary', scopes: ['read'] }),
  });
  const [token, revoked] = [await makeToken(system, 'tokened'), await makeToken(system, 'tokened')];
  const admin = { authorization: `Bearer ${system.apiKey}` };
  await fetch(`${system.management.url}/api/v1/agent-tokens/${revoked.id}`, { method: 'DELETE', headers: admin });
  const secrets = {
    ...callers,
    injectedKey,
    managementKey: system.apiKey,
    createdKey: key.secret,
    token: token.secret,
    // However its beginning is written.
    tokenTail: token.secret.slice(4),
    revokedToken: revoked.secret,
    wrongToken: canary('wrong-token'),
    noToken: canary('no-token'),
    wrongKey: canary('wrong-key'),
    redisPassword: new URL(system.stack.redisUrl).password,
    postgresPassword: new URL(system.stack.databaseUrl).password,
    ...listPasswords(system.stack.urls),
    brokenUrl: canary('broken-url'),
  };

  // With the company's key in place of theirs, and with their own.
  for (const call of [
    ...listCalls('openai', 'canary-a'),
    ...listCalls('anthropic', 'canary-b'),
    ...listCalls('gemini', 'canary-c'),
  ]) {
    await send(url, call, outputs);
  }
  for (const shown of [
    { 'x-agent-token': token.secret },
    { authorization: `Bearer ${token.secret}` },
    { 'x-api-key': token.secret },
  ]) {
    expect(await send(url, { path: '/openai/v1/chat/completions', headers: shown, body: chat }, outputs)).toBe(200);
  }
  await send(
    url,
    { path: `/gemini/v1beta/models/gemini-2.5-flash:generateContent?key=${token.secret}`, body: {} },
    outputs,
  );
  await send(url, { path: '/openai/v1/admin/keys', headers: { 'x-api-key': callers.apiKey } }, outputs);
  await send(url, { path: '/anthropic/v1/fails', headers: { 'x-api-key': callers.apiKey } }, outputs);
  await sendRefused(system, { token: token.secret, revoked: revoked.secret }, outputs);

  // The company's key reached the provider in every request that it is for, and nothing of ours reached any.
  const ofProvider = new Outputs();
  for (const { target, rawHeaders } of provider.requests)
    ofProvider.add('provider', `${target} ${rawHeaders.join(' ')}`);
  const { token: own, revokedToken, createdKey, managementKey } = secrets;
  expect(ofProvider.find({ own, revokedToken, createdKey, managementKey, cookie: callers.cookie })).toEqual([]);
  expect(ofProvider.find({ injectedKey })).toEqual(['injectedKey: provider']);

  for (const [authorization, path] of [
    [`Bearer ${key.secret}`, '/api/v1/events'],
    [`Bearer ${key.secret}`, '/api/v1/nowhere'],
    [`Bearer ${secrets.wrongKey}`, '/api/v1/agents'],
    [secrets.wrongKey, '/api/v1/agents'],
  ] as const) {
    const answer = await fetch(`${system.management.url}${path}`, { headers: { authorization } });
    outputs.add('answers', JSON.stringify([...answer.headers]) + (await answer.text()));
  }
  // A key that lacks the scope, on a change with a body that is refused.
  const denied = await fetch(`${system.management.url}/api/v1/agent-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_name: key.secret }),
  });
  expect(denied.status).toBe(403);

  await waitFor('the events', async () => (await system.api<object[]>('/api/v1/events?limit=1000')).length > 25);
  await readRedis(system, outputs);
  await readMetrics(system, outputs);
  await readApi(system, outputs);
  await readTables(system, outputs);

  // Nor do services tell their URLs when servers are away, or when they cannot start.
  await system.stack.redis.kill();
  await send(url, { path: '/openai/v1/chat/completions', headers: { 'x-agent-name': 'late' }, body: chat }, outputs);
  const brokenUrl = (scheme: string) => [
    `${scheme}://user:${secrets.brokenUrl}@127.0.0.1:1`,
    `${scheme}://user:${secrets.brokenUrl}@[bad:x`,
  ];
  // What reads and reports URLs is the same in each service.
  const broken = [
    ['management', brokenUrl('postgres')[0], system.stack.natsUrl, system.stack.redisUrl],
    ['writer', system.stack.databaseUrl, brokenUrl('nats')[0], brokenUrl('redis')[0]],
    ['proxy', brokenUrl('postgres')[1], brokenUrl('nats')[1], brokenUrl('redis')[1]],
  ] as const;
  // Some wait for their servers rather than end; the system ends them.
  const started = broken.map(([name, DATABASE_URL = '', NATS_URL = '', REDIS_URL = '']) =>
    system.start(name, { DATABASE_URL, NATS_URL, REDIS_URL }).catch(() => {}),
  );
  await Promise.race([Promise.all(started), sleep(3_000)]);
  await readMetrics(system, outputs);
  await stopFollowing();
  outputs.add('spans', JSON.stringify(collector.spans));

  for (const source of ['logs', 'spans', 'nats', 'redis', 'metrics', 'api', 'table', 'answers']) {
    expect(outputs.size(source), source).toBeGreaterThan(200);
  }
  expect(outputs.find(secrets)).toEqual([]);
  // The search itself finds what is there.
  expect(outputs.find({ agent: 'canary-a' })).toEqual(
    expect.arrayContaining(['agent: table agents', 'agent: api /api/v1/agents']),
  );
});
