import type { Preview } from '@agp/policy';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  const urls = ['OPENAI', 'ANTHROPIC', 'GEMINI'].map((id) => [`PROVIDER_${id}_URL`, provider.url]);
  system = await startSystem({ environment: Object.fromEntries(urls) });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

const messages = [{ role: 'user', content: 'hello' }];
const shell = { type: 'function', function: { name: 'shell' } };
const weather = { type: 'function', function: { name: 'weather' } };
const path = {
  chat: '/openai/v1/chat/completions',
  responses: '/openai/v1/responses',
  messages: '/anthropic/v1/messages',
};

/** An agent, a path and a body, each sent once. */
const traffic: [agent: string, path: string, body: object][] = [
  ['one', path.chat, { model: 'gpt-5-mini', messages, max_tokens: 100 }],
  ['one', path.chat, { model: 'gpt-5', messages, max_tokens: 100 }],
  ['one', path.chat, { model: 'gpt-5-mini', messages, tools: [shell, weather], max_tokens: 100 }],
  ['one', path.chat, { model: 'gpt-5-mini', messages, tools: [weather], max_tokens: 100 }],
  ['two', path.chat, { model: 'gpt-5-mini', messages, max_tokens: 5_000 }],
  ['two', path.chat, { model: 'gpt-5-mini', messages }],
  ['two', path.responses, { model: 'gpt-5-mini', input: 'x'.repeat(3_000), max_output_tokens: 100 }],
  ['two', path.responses, { model: 'gpt-5-mini', input: 'x', max_output_tokens: 9, tools: [{ type: 'web_search' }] }],
  [
    'three',
    path.messages,
    {
      ...{ model: 'claude-haiku-4-5', max_tokens: 100, messages },
      mcp_servers: [{ type: 'url', url: 'https://MCP.example.net:8443/sse', name: 'x' }],
    },
  ],
  ['three', path.messages, { model: 'claude-opus-4-5', max_tokens: 100, messages }],
  ['three', '/openai/v1/embeddings', { model: 'text-embedding-3-small', input: 'x' }],
  ['three', '/gemini/v1beta/models/gemini-2.5-flash:generateContent', { contents: [{ parts: [{ text: 'hello' }] }] }],
];

/** In three days, so not now. */
const otherDay = ['Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue'][new Date().getUTCDay()];

const policies = [
  {
    name: 'models',
    models: { allow: ['gpt-5-mini', 'claude-haiku-*', 'text-embedding-*'] },
    match: { not: { providers: ['gemini'] } },
  },
  {
    name: 'tools',
    tools: { client: { deny: ['she*'] }, hosted: { allow: [] }, remote_mcp: { hosts: ['mcp.example.com'] } },
  },
  { name: 'limits', match: { agents: ['two'] }, limits: { max_output_tokens: 2_000, max_input_bytes: 2_000 } },
  { name: 'hours', match: { providers: ['gemini'] }, hours: { allow: `${otherDay} 00:00-24:00`, zone: 'UTC' } },
  { name: 'operations', operations: { deny: ['embeddings'] } },
  { name: 'nobody', match: { agents: ['nobody'] }, models: { deny: ['*'] } },
].map((policy) => ({ ...policy, mode: 'enforce' }));

async function send([agent, target, body]: (typeof traffic)[number]) {
  const response = await fetch(`${system.proxies[0]?.url}${target}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agent, 'x-api-key': 'sk' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const countEvents = async () =>
  Number((await system.database.pool.query('SELECT count(*) FROM events')).rows[0]?.count);

test('what a preview says of recorded requests is what happens when they are sent again under the policies', async () => {
  for (const request of traffic) expect((await send(request)).status).toBe(200);
  await waitFor('the events', async () => (await countEvents()) === traffic.length);
  const preview = await system.api<Preview>('/api/v1/policies/preview', {
    method: 'POST',
    body: JSON.stringify({ policies, from: '1h' }),
  });
  for (const policy of policies) await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
  const again = [];
  for (const request of traffic) again.push({ agent: request[0], ...(await send(request)) });
  const refused = again.filter(({ status }) => status === 403);
  expect(refused.length).toBe(10);
  expect(preview).toMatchObject({
    ...{ requests: traffic.length, refused: refused.length, is_complete: true, cannot_tell: [], contradictions: [] },
    agents: new Set(refused.map(({ agent }) => agent)).size,
    never: [{ policy: 'nobody', rule: null }],
  });
  // Each counts every rule that would refuse, or did.
  const told = refused.flatMap(({ text }) =>
    [...text.matchAll(/by policy (\S+) \(rule (\S+)\)/g)].map((match) => match.slice(1).join(' ')),
  );
  const rules = new Map<string | undefined, number>(preview.by.rule.map(({ name, requests }) => [name, requests]));
  expect([...rules.keys()].sort()).toEqual([...new Set(told)].map(String).sort());
  for (const name of new Set(told))
    expect([name, rules.get(name)]).toEqual([name, told.filter((each) => each === name).length]);
  expect(preview.by.tool).toEqual(['mcp.example.net', 'shell', 'web_search'].map((name) => ({ name, requests: 1 })));
  const passed = traffic.length - refused.length;
  await waitFor('events of what passed alone', async () => (await countEvents()) === traffic.length + passed);
});
