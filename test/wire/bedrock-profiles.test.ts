import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

const arn = (id: string) => `arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/${id}`;
const claude = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';

let provider: FakeProvider;
let system: System;
const resources = new AsyncDisposableStack();

const usage = { input_tokens: 1_000, output_tokens: 1_000 };
const answers = {
  converse: { output: { message: { role: 'assistant', content: [{ text: 'Warm.' }] } }, stopReason: 'end_turn' },
  invoke: { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Warm.' }], usage },
};

beforeAll(async () => {
  provider = await startFakeProvider(({ target }) =>
    target.endsWith('/invoke')
      ? { body: answers.invoke }
      : { body: { ...answers.converse, usage: { inputTokens: 1_000, outputTokens: 1_000, totalTokens: 2_000 } } },
  );
  resources.defer(() => provider.stop());
  const folder = mkdtempSync(join(tmpdir(), 'agp-profiles-'));
  resources.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'providers.json');
  const place = { base_url: provider.url, region: 'eu-central-1', geo: 'eu' };
  const profiles = { [arn('claude')]: claude, [arn('global')]: claude.replace('eu.', 'global.') };
  writeFileSync(file, JSON.stringify([{ id: 'bedrock', api: 'bedrock', ...place, profiles }]));
  system = resources.use(await startSystem({ environment: { PROVIDERS_FILE: file } }));
  const rules = [
    { name: 'sonnet-in-eu', models: { allow: ['claude-sonnet-4-5'] }, where: { geo: ['eu'] } },
    { name: 'not-sonnet', models: { deny: ['claude-sonnet*'] } },
    { name: 'by-arn', models: { allow: [arn('claude')], deny: ['claude-opus*'] } },
    { name: 'no-knife', tools: { client: { deny: ['knife'] }, on_declared: 'refuse' } },
  ];
  for (const rule of rules) {
    const policy = { mode: 'enforce', match: { agents: [rule.name] }, ...rule };
    await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
  }
});
afterAll(() => resources.disposeAsync());

const knife = { name: 'knife', description: 'cuts', input_schema: { type: 'object' } };
const ask = { max_tokens: 100, messages: [{ role: 'user', content: 'Is it warm?' }] };
const bodies = {
  converse: { messages: [{ role: 'user', content: [{ text: 'Is it warm?' }] }], inferenceConfig: { maxTokens: 100 } },
  invoke: { anthropic_version: 'bedrock-2023-05-31', ...ask },
  armed: { anthropic_version: 'bedrock-2023-05-31', ...ask, tools: [knife] },
};

async function call(agent: string, model: string, verb: 'converse' | 'invoke' | 'armed') {
  const target = `/model/${model}/${verb === 'armed' ? 'invoke' : verb}`;
  const answer = await fetch(`${system.proxies[0]?.url}/bedrock${target}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agent },
    body: JSON.stringify(bodies[verb]),
  });
  return { status: answer.status, text: await answer.text(), target };
}

const findPayload = (path: string) =>
  waitFor('the event', async () => {
    const sql = "SELECT payload::jsonb AS payload FROM events WHERE payload::jsonb->>'path' = $1";
    const { rows } = await system.database.pool.query<{ payload: { cost_usd: number } }>(sql, [path]);
    return rows[0]?.payload;
  });

const written = [encodeURIComponent, (name: string) => name.replace('/', '%2F'), (name: string) => name] as const;

test.each([...written.map((write) => ['converse', write] as const), ['invoke', encodeURIComponent] as const])(
  '%s of an application, by each spelling of its ARN, goes out as it came and is that of its model',
  async (verb, write) => {
    const { status, text, target } = await call('sonnet-in-eu', write(arn('claude')), verb);
    expect([status, text]).toEqual([200, expect.stringContaining('Warm.')]);
    expect(provider.requests.at(-1)?.target).toBe(target);
    const payload = await findPayload(target);
    const name = `${arn('claude')}#${claude}`;
    expect(payload).toMatchObject({ model: name, requested_model: name, path: target, usage_source: 'provider' });
    expect(payload.cost_usd).toBeCloseTo(0.0033 + 0.0165, 9);
  },
);

test.each([
  ['sonnet-in-eu', 'global', 'converse', /rule where\.geo.*#global\.anthropic.*, called in eu, may run elsewhere/],
  ['sonnet-in-eu', 'other', 'converse', /rule models/],
  ['not-sonnet', 'claude', 'converse', /rule models.*#eu\.anthropic/],
  ['not-sonnet', 'claude', 'invoke', /rule models.*#eu\.anthropic/],
  ['no-knife', 'claude', 'armed', /rule tools\.client.*knife/],
] as const)('to %s, %s is refused in %s', async (agent, id, verb, told) => {
  const { status, text } = await call(agent, encodeURIComponent(arn(id)), verb);
  expect([status, text]).toEqual([403, expect.stringMatching(told)]);
});

test('a list may still name the ARN, and no caller tells a model by itself', async () => {
  expect(await call('by-arn', encodeURIComponent(arn('claude')), 'converse')).toMatchObject({ status: 200 });
  const told = encodeURIComponent(`${arn('other')}#${claude}`);
  expect(await call('anyone', told, 'converse')).toMatchObject({ status: 400 });
});
