import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Preview } from '@agp/policy';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

const folder = mkdtempSync(join(tmpdir(), 'agp-where-'));
let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(() => ({ body: {} }));
  const file = join(folder, 'providers.json');
  const at = { base_url: provider.url };
  const providers = [
    { id: 'openai', api: 'openai', ...at, geo: 'eu' },
    { id: 'anthropic', api: 'anthropic', ...at, geo: 'eu' },
    { id: 'moved', api: 'openai', base_url: 'https://llm.example', geo: 'eu' },
  ];
  writeFileSync(file, JSON.stringify(providers));
  system = await startSystem({ environment: { PROVIDERS_FILE: file, PROVIDER_MOVED_URL: provider.url } });
  for (const [name, more] of Object.entries({ strict: {}, lenient: { unreadable: 'allow' } }))
    await system.api('/api/v1/policies', {
      method: 'POST',
      body: JSON.stringify({ ...policy, name, match: { agents: [name] }, ...more }),
    });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
  rmSync(folder, { recursive: true });
});

const policy = { mode: 'enforce', where: { geo: ['eu'], store: false } };

async function send(agent: string, path: string, body: object | undefined) {
  const response = await fetch(`${system.proxies[0]?.url}${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'x-agent-name': agent, ...(body && { 'content-type': 'application/json' }) },
  });
  const refused = /denied by policy \w+ \(rule [\w.]+\): [^"]*/.exec(await response.text())?.[0].replaceAll('\\', '');
  return refused ?? response.status;
}

const [chat, responses, messages] = ['/openai/v1/chat/completions', '/openai/v1/responses', '/anthropic/v1/messages'];
const geoOf = (agent: string, why: string) => `denied by policy ${agent} (rule where.geo): ${why}`;
const storeOf = (agent: string, why: string) => `denied by policy ${agent} (rule where.store): ${why}`;
const keeps = 'the provider keeps its text, by';
const unsure = 'it is not sure where it is processed';

test.each<[string, object | undefined, strict: unknown, lenient: unknown]>([
  [chat, { model: 'a', store: false }, 200, 200],
  [chat, { model: 'a' }, storeOf('strict', 'it does not say for sure that the provider keeps nothing, as '), 200],
  [responses, { model: 'a', store: false }, 200, 200],
  [responses, { model: 'a' }, storeOf('strict', `${keeps} `), storeOf('lenient', `${keeps} `)],
  [
    '/openai/v1/batches',
    { input_file_id: 'f' },
    storeOf('strict', `${keeps} a batch`),
    storeOf('lenient', `${keeps} a batch`),
  ],
  ['/openai/v1/files', { x: 1 }, storeOf('strict', `${keeps} /files`), storeOf('lenient', `${keeps} /files`)],
  [
    '/openai/v1/unknown',
    { x: 1 },
    storeOf('strict', 'it does not say for sure that the provider keeps nothing, as '),
    200,
  ],
  ['/openai/v1/models', undefined, 200, 200],
  [messages, { model: 'a', max_tokens: 1, messages: [] }, 200, 200],
  [
    messages,
    { model: 'a', inference_geo: 'us' },
    geoOf('strict', 'it is processed in us, allowed is eu'),
    geoOf('lenient', 'it is processed in us, allowed is eu'),
  ],
  [messages, { model: 'a', inference_geo: 'global' }, geoOf('strict', unsure), 200],
  // The file vouches for another address.
  ['/moved/v1/chat/completions', { model: 'a', store: false }, geoOf('strict', unsure), 200],
])('%s with %j is answered %j, and %j if what is unread may pass', async (path, body, strict, lenient) => {
  expect([await send('strict', path, body), await send('lenient', path, body)]).toEqual([strict, lenient]);
});

test('a preview judges what an agent without the policy did as the policy would have', async () => {
  const sent: [string, object][] = [
    [chat, { model: 'a', store: false }],
    [chat, { model: 'a' }],
    [responses, { model: 'a' }],
    [messages, { model: 'a', inference_geo: 'us' }],
  ];
  for (const [path, body] of sent) expect(await send('free', path, body)).toBe(200);
  const read = async () => {
    const { rows } = await system.database.pool.query<{ asked: { geo: unknown; stores: unknown } }>(
      `SELECT asked FROM events JOIN agents ON agents.id = agent_id WHERE name = 'free' ORDER BY events.timestamp`,
    );
    return rows.map(({ asked }) => [asked.geo, asked.stores]);
  };
  await waitFor('the events', async () => (await read()).length === sent.length);
  expect(await read()).toEqual([
    ['eu', false],
    ['eu', null],
    ['eu', '"store", which is true unless it is said'],
    ['us', false],
  ]);
  const preview = await system.api<Preview>('/api/v1/policies/preview', {
    method: 'POST',
    body: JSON.stringify({ policies: [{ ...policy, name: 'tried', match: { agents: ['free'] } }], from: '1h' }),
  });
  expect(preview).toMatchObject({ refused: 3, cannot_tell: [] });
  expect(preview.by.rule).toEqual([
    { name: 'tried where.store', requests: 2 },
    { name: 'tried where.geo', requests: 1 },
  ]);
});
