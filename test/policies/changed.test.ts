import { createHash } from 'node:crypto';
import type { Refusal } from '@agp/core/contracts';
import type { StoredPolicy } from '@agp/policy';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePolicy } from '../prove/stories/change-policy.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  const answer = answerCanned();
  // Slow enough that requests are in flight while a policy changes.
  provider = await startFakeProvider(async (received, index) => ({ ...(await answer(received, index)), pauseMs: 20 }));
  const urls = ['OPENAI', 'ANTHROPIC', 'GEMINI'].map((name) => [`PROVIDER_${name}_URL`, provider.url]);
  system = await startSystem({ proxies: 3, environment: Object.fromEntries(urls) });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

test('with requests in flight at any time, none that starts after a PUT has answered is decided by the old policy', () =>
  changePolicy(system, { inFlight: 30, rounds: 6, each: 60 }));

test('an exception lets its agent alone pass, and its event says so', async () => {
  const policy = {
    ...{ name: 'excepting', mode: 'enforce', match: { tags: ['excepting'] }, models: { deny: ['*'] } },
    exceptions: [
      { match: { agents: ['excused'] }, rules: ['models'], until: '2199-01-01', reason: 'trial' },
      { match: { agents: ['late'] }, until: '2020-01-01', reason: 'over' },
    ],
  };
  await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
  const ask = (agent: string) =>
    fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': agent, 'x-compliance-tag': 'excepting' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [] }),
    });
  expect([(await ask('late')).status, (await ask('other')).status]).toEqual([403, 403]);
  const passed = await ask('excused');
  expect(passed.status).toBe(200);
  const { decision } = await waitFor('the event', () =>
    system
      .api<{ decision: object[] }>(`/api/v1/events/${passed.headers.get('x-event-id')}/detail`)
      .catch(() => undefined),
  );
  for (const each of decision)
    expect(each).toEqual({ policy: 'excepting', version: 1, rule: 'models', action: 'excepted' });
});

test('each denied request is counted, for each rule that it breaks, and the list adds up to just as many', async () => {
  const policy = { name: 'flooded', mode: 'enforce', match: { agents: ['flooding'] }, models: { deny: ['*'] } };
  const limits = { max_output_tokens: 1 };
  await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify({ ...policy, limits }) });
  const body = JSON.stringify({ model: 'gpt-4o', messages: [] });
  const headers = { 'content-type': 'application/json', 'x-agent-name': 'flooding' };
  const statuses = await Promise.all(
    Array.from({ length: 63 }, async (_, at) => {
      const url = `${system.proxies[at % 3]?.url}/openai/v1/chat/completions`;
      return (await fetch(url, { method: 'POST', headers, body })).status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([403]));
  const read = async () => {
    const policies = await system.api<StoredPolicy[]>('/api/v1/policies?expand=hits');
    const listed = await system.api<Refusal[]>(
      '/api/v1/refusals?policy=flooded&rule=limits.max_output_tokens&limit=1000',
    );
    const { refused, by } = policies.find((each) => each.policy.name === 'flooded')?.hits ?? { refused: 0, by: [] };
    return [refused, ...by.map(({ requests }) => requests), listed.reduce((sum, { count }) => sum + count, 0)];
  };
  await expect.poll(read).toEqual([63, 63, 63, 63]);
});

interface Recorded {
  request_sha256: string;
  forwarded_sha256: string | null;
  decision: object[] | null;
  policy_version: number | null;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const chat = { model: 'gpt-4o', messages: [], seed: 12345678901234567890n };
const declared = (name: string) => ({ type: 'function', function: { name } });
const write = (body: object) =>
  JSON.stringify(body, (_, value) =>
    typeof value === 'bigint' ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(`${value}`) : value,
  );

test.each([
  [
    'chat',
    '/openai/v1/chat/completions',
    { ...chat, max_tokens: 500, tools: [declared('shell'), declared('read')] },
    { ...chat, max_tokens: 100, tools: [declared('read')] },
    ['strip', 'lower'],
  ],
  ['chat in bounds', '/openai/v1/chat/completions', { ...chat, max_tokens: 100, tools: [declared('read')] }, null, []],
  [
    'streamed chat',
    '/openai/v1/chat/completions',
    { ...chat, stream: true },
    { stream_options: { include_usage: true }, ...chat, stream: true, max_tokens: 100 },
    ['lower'],
  ],
  [
    'messages',
    '/anthropic/v1/messages',
    { model: 'claude-x', max_tokens: 101, messages: [], tools: [{ name: 'shell', input_schema: {} }] },
    { model: 'claude-x', max_tokens: 100, messages: [] },
    ['strip', 'lower'],
  ],
  [
    'Gemini',
    '/gemini/v1beta/models/gemini-x:generateContent',
    {
      contents: [],
      generationConfig: { maxOutputTokens: 101, seed: 1 },
      tools: [{ functionDeclarations: [{ name: 'shell' }] }],
    },
    { contents: [], generationConfig: { maxOutputTokens: 100, seed: 1 } },
    ['strip', 'lower'],
  ],
] as const)('%s: the provider gets what the event says was forwarded', async (what, path, body, expected, actions) => {
  const agent = `changed-${what.toLowerCase().replaceAll(' ', '-')}`;
  const policy = {
    name: agent,
    mode: 'enforce',
    match: { agents: [agent] },
    limits: { max_output_tokens: 100, over: 'lower' },
    tools: { client: { deny: ['shell'] }, on_declared: 'strip' },
  };
  await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
  const sent = Buffer.from(write(body));
  const answer = await fetch(`${system.proxies[0]?.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agent },
    body: sent,
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  const got = provider.requests.at(-1)?.body ?? Buffer.alloc(0);
  expect(got.toString()).toBe(expected === null ? sent.toString() : write(expected));
  const event = answer.headers.get('x-event-id');
  const recorded = await waitFor('the event', async () => {
    const { rows } = await system.database.pool.query<{ payload: string }>('SELECT payload FROM events');
    return rows
      .map(({ payload }) => JSON.parse(payload) as Recorded & { id: string })
      .find((each) => each.id === event);
  });
  expect(recorded).toMatchObject({
    request_sha256: sha256(sent),
    forwarded_sha256: expected === null ? null : sha256(got),
    decision: actions.length === 0 ? null : actions.map((action) => expect.objectContaining({ policy: agent, action })),
  });
});
