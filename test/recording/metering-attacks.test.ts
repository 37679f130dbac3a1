import { gzipSync } from 'node:zlib';
import { doubtfulUsageListSchema } from '@agp/core/contracts';
import type { FakeProvider, FakeReply, Handler } from '@agp/testing/providers';
import { beforeAll, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { readPayload } from '../system/read-payload.ts';
import { type System, waitFor } from '../system/start-system.ts';
import { type Asked, type AttackSystem, mini, price, startAttackSystem } from './metering/attack-system.ts';

let attacked: AttackSystem;
let fake: FakeProvider;
let system: System;
beforeAll(async () => {
  attacked = await startAttackSystem();
  ({ fake, system } = attacked);
  return () => attacked[Symbol.asyncDispose]();
});

const ask = (asked: Asked) => attacked.ask(asked);
const cap = (agent: string, usd: number) => attacked.cap(agent, usd);
const record = (asked: Asked, reply: FakeReply) => attacked.record(asked, reply);

const costOf = (payload: Record<string, unknown>) => Math.round(Number(payload.cost_usd) * 1e9);
const streamed = (body: object) => ({ model: mini, messages: [{ role: 'user', content: 'Hi' }], ...body });
const frame = (chunk: object) => `data: ${JSON.stringify({ id: 'c', model: mini, ...chunk })}\n\n`;
const sse = { 'content-type': 'text/event-stream' };
const lastWords = [
  frame({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }], usage: null }),
  frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null }),
];
const usageFrame = frame({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 500, total_tokens: 509 } });
/** Tells its usage only where it is asked for, by the body as JSON parsers have it. */
const honest: Handler = ({ body }) => {
  const isAsked = JSON.parse(body.toString()).stream_options?.include_usage === true;
  return {
    headers: sse,
    body: {
      steps: isAsked
        ? [...lastWords, usageFrame, 'data: [DONE]\n\n']
        : [...lastWords.map((each) => each.replace(',"usage":null', '')), 'data: [DONE]\n\n'],
    },
  };
};

test.each([
  ['false', '"stream_options":{"include_usage":false}'],
  ['a word', '"stream_options":{"include_usage":"false"}'],
  ['null', '"stream_options":{"include_usage":null}'],
  ['no object', '"stream_options":[]'],
  ['twice', '"stream_options":{"include_usage":true},"stream_options":{"include_usage":false}'],
  ['twice within', '"stream_options":{"include_usage":true,"include_\\u0075sage":false}'],
])(
  'under a cap the usage of a stream is known although its agent asks not to be told, in %s',
  async (name, options) => {
    const agent = await cap(`silent-${name.replaceAll(' ', '-')}`, 1);
    fake.handle(honest);
    const body = `{"model":"${mini}","stream":true,${options},"messages":[{"role":"user","content":"Hi"}]}`;
    const { session, answer } = ask({ agent, body });
    const text = await (await answer).text();
    expect(text).toBe([...lastWords.map((each) => each.replace(',"usage":null', '')), 'data: [DONE]\n\n'].join(''));
    expect(await readPayload(system, session)).toMatchObject({ completion_tokens: 500, usage_source: 'provider' });
  },
);

test('without a cap a no is respected, and the usage estimated', async () => {
  fake.handle(honest);
  const { session, answer } = ask({ body: streamed({ stream: true, stream_options: { include_usage: false } }) });
  expect(await (await answer).text()).not.toContain('usage');
  expect(JSON.parse(fake.requests.at(-1)?.body.toString() ?? '').stream_options).toEqual({ include_usage: false });
  expect(await readPayload(system, session)).toMatchObject({ completion_tokens: 1, usage_source: 'estimated' });
});

test('an agent that leaves before the answer begins pays what it reserved, so that its cap holds', async () => {
  const agent = await cap('leaver', 0.05);
  // A hundredth of a dollar each.
  const body = { model: mini, max_tokens: 16_666, messages: [{ role: 'user', content: 'Hi' }] };
  fake.handle(() => ({ hang: true }));
  const before = fake.requests.length;
  let refused = 0;
  for (let round = 0; round < 12; round += 1) {
    const leaving = new AbortController();
    const arrived = fake.requests.length;
    const { session, answer } = ask({ agent, body, signal: leaving.signal });
    const got = await Promise.race([
      answer,
      waitFor('the request', () => fake.requests.length > arrived).then(() => null),
    ]);
    leaving.abort();
    await answer.catch(() => undefined);
    if (got !== null) {
      expect(got.status).toBe(429);
      refused += 1;
      continue;
    }
    const payload = await readPayload(system, session);
    expect(payload).toMatchObject({ direction: 'request', outcome: 'aborted', usage_source: 'estimated' });
    expect(costOf(payload)).toBeGreaterThan(9_999_000);
  }
  expect(fake.requests.length - before).toBe(4);
  expect(refused).toBe(8);
});

/** Ways that a call ends without its figures. */
const endings: [string, FakeReply, Record<string, unknown>][] = [
  ['no answer in time', { hang: true }, { direction: 'request', outcome: 'failed' }],
  ['a connection that breaks before the answer', { cut: true }, { direction: 'request', outcome: 'failed' }],
  [
    'a connection that breaks in the answer',
    { headers: { 'content-type': 'application/json' }, body: { steps: ['{"model":"', { cut: true }] } },
    { direction: 'response', outcome: 'failed' },
  ],
  [
    'a stream that breaks before its first word',
    { headers: sse, body: { steps: [': working\n\n', { cut: true }] } },
    { direction: 'response', outcome: 'failed' },
  ],
];

test.each(endings)('%s: the input is paid, and under a cap what was reserved', async (name, reply, expected) => {
  const body = streamed({ max_tokens: 1_000, stream: name.includes('stream') });
  const free = await record({ body }, reply);
  expect(free).toMatchObject({ ...expected, usage_source: 'estimated', completion_tokens: expect.any(Number) });
  expect(Number(free.prompt_tokens)).toBeGreaterThan(0);
  expect(costOf(free)).toBe(Number(free.prompt_tokens) * price.input + Number(free.completion_tokens) * price.output);
  const agent = await cap(`ends-${endings.findIndex(([each]) => each === name)}`, 1);
  const capped = await record({ agent, body }, reply);
  expect(capped).toMatchObject({ ...expected, usage_source: 'estimated' });
  expect(costOf(capped)).toBeGreaterThanOrEqual(1_000 * price.output);
});

test('a connection that was never made, and what a provider refuses, costs nothing', async () => {
  const agent = await cap('unlucky', 1);
  const nothing = { cost_usd: 0, prompt_tokens: 0, usage_source: 'none' };
  const unreachable = ask({ agent, path: '/mistral/v1/chat/completions' });
  expect((await unreachable.answer).status).toBe(502);
  expect(await readPayload(system, unreachable.session)).toMatchObject({ ...nothing, outcome: 'failed' });
  for (const status of [400, 401, 429, 500, 529])
    expect(await record({ agent }, { status, body: { error: { message: 'no' } } })).toMatchObject(nothing);
});

const text = 'word '.repeat(8_000);
const unreadable: [string, FakeReply][] = [
  ['of an unknown type', { headers: { 'content-type': 'application/x-words' }, body: text }],
  [
    'in an unknown encoding',
    { headers: { 'content-type': 'application/json', 'content-encoding': 'x-w' }, body: text },
  ],
  ['that is no gzip', { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }, body: text }],
  ['that is no JSON', { headers: { 'content-type': 'application/json' }, body: `{"a":"${text}` }],
  ['without figures and text', { headers: { 'content-type': 'application/json' }, body: `{"a":"${text}"}` }],
  ['without a frame', { headers: sse, body: text }],
  ['of frames that are none', { headers: sse, body: `data: ${text}\n\n` }],
  ['nested deep', { headers: { 'content-type': 'application/json' }, body: '[1,'.repeat(13_000) }],
];

test.each(unreadable)('a whole answer %s costs by its bytes, and at least what was reserved', async (name, reply) => {
  const size = Buffer.byteLength(reply.body as string);
  const payload = await record({ body: streamed({ max_tokens: 5 }) }, reply);
  expect(payload).toMatchObject({ http_status: 200, outcome: 'completed', usage_source: 'estimated' });
  expect(Number(payload.completion_tokens)).toBeGreaterThanOrEqual(size / 4);
  const agent = await cap(`unread-${unreadable.findIndex(([each]) => each === name)}`, 1);
  const capped = await record({ agent, body: streamed({ max_tokens: 20_000 }) }, reply);
  expect(costOf(capped)).toBeGreaterThanOrEqual(20_000 * price.output);
});

test('an agent cannot ask for an encoding that nobody reads', async () => {
  const seen: (string | undefined)[] = [];
  fake.handle(({ headers }) => {
    seen.push(headers['accept-encoding']?.toString());
    return { body: { model: mini, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } } };
  });
  for (const encoding of ['compress', 'gzip, br'])
    await (await ask({ headers: { 'accept-encoding': encoding } }).answer).arrayBuffer();
  expect(seen).toEqual([undefined, 'gzip, br']);
});

test.each([204, 304, 200])('an empty answer with status %i is not free', async (status) => {
  const agent = await cap(`empty-${status}`, 1);
  const payload = await record({ agent, body: streamed({ max_tokens: 1_000 }) }, { status });
  expect(costOf(payload)).toBeGreaterThanOrEqual(1_000 * price.output);
});

test('where any of several models may have answered, the dearest is paid, and under a cap what was reserved', async () => {
  const agent = await cap('fallbacks', 10);
  const [models, dear] = [['gpt-4o'], { input: 2_500, output: 10_000 }];
  const unnamed = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 500 } };
  const told = await record({ agent, body: streamed({ models }) }, { body: unnamed });
  expect(costOf(told)).toBe(9 * dear.input + 500 * dear.output);
  const speech = { path: '/openai/v1/audio/speech', body: { model: 'tts-1', voice: 'alloy', input: 'Hello.' } };
  const sound = { headers: { 'content-type': 'audio/mpeg' }, body: 'sound' };
  expect(costOf(await record({ agent, ...speech }, sound))).toBe(90_000);
  Object.assign(speech.body, { models });
  expect(costOf(await record({ agent, ...speech }, sound))).toBeGreaterThanOrEqual(4_096 * dear.output);
});

test('what runs in the background without a bound is listed with as much as a model may write', async () => {
  const reply = { body: { id: 'resp_1', model: mini, status: 'queued', output: [], usage: null } };
  const path = '/openai/v1/responses';
  const later = { cost_usd: 0, completion_tokens: 0, usage_source: 'none' };
  expect(await record({ path, body: { model: mini, input: 'Hi', background: true } }, reply)).toMatchObject(later);
  const gemini = {
    path: '/gemini/v1beta/interactions',
    body: { agent: 'deep-research', input: 'Hi', background: true },
  };
  expect(await record(gemini, { body: { id: 'i_1', status: 'in_progress' } })).toMatchObject(later);
  const listed = await waitFor('both', async () => {
    const doubts = doubtfulUsageListSchema.parse(await system.api('/api/v1/costs/doubtful?limit=1000'));
    const found = doubts.filter(({ reason }) => reason === 'billed_later');
    return found.length === 2 && found;
  });
  for (const doubt of listed) expect(doubt.claimed_completion_tokens).toBe(131_072);
});

const billion = 1_000_000_000;
test.each([
  ['of few bytes', {}, {}],
  ['with a bound', { max_tokens: 10 }, {}],
  ['with a search', { tools: [{ type: 'web_search' }] }, {}],
  ['of half a token', {}, { prompt_tokens: 9.5 }],
])('a claim of a thousand million tokens is estimated: %s', async (_, asks, claims) => {
  const usage = { prompt_tokens: billion, completion_tokens: billion, ...claims };
  const choices = [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }];
  const payload = await record({ body: streamed(asks) }, { body: { model: mini, choices, usage } });
  expect(payload).toMatchObject({ usage_source: 'estimated', outcome: 'completed' });
  expect(Number(payload.prompt_tokens)).toBeLessThan(100);
  expect(Number(payload.completion_tokens)).toBeLessThan(100);
  expect(Number(payload.completion_tokens)).toBeGreaterThan(0);
});

const line = (usage: object) =>
  `${JSON.stringify({ custom_id: 'c', result: { type: 'succeeded', message: { model: 'claude-sonnet-4-5', usage } } })}\n`;

test('results of a batch with larger figures than any event holds are recorded, and no event is lost', async () => {
  const huge = line({ input_tokens: billion, output_tokens: billion });
  const bomb = gzipSync(huge.repeat(2_000));
  fake.handle(() => ({ headers: { 'content-type': 'application/x-jsonl', 'content-encoding': 'gzip' }, body: bomb }));
  const sessions = await Promise.all(
    ['one', 'two'].map(async (batch) => {
      const session = `ses_bomb-${batch}`;
      const url = `${system.proxies[0]?.url}/anthropic/v1/messages/batches/${batch}/results`;
      const answer = await fetch(url, { headers: { 'x-agent-name': 'bomber', 'x-session-id': session } });
      await answer.arrayBuffer();
      return session;
    }),
  );
  for (const session of sessions) {
    const payload = await readPayload(system, session);
    expect(payload).toMatchObject({ outcome: 'completed', usage_source: 'estimated' });
    expect(Number(payload.cost_usd)).toBeGreaterThan(1_000);
    expect(Number(payload.total_tokens)).toBeLessThan(1_000_000_000_000);
  }
  const { rows } = await system.database.pool.query('SELECT reason FROM quarantine');
  expect(rows).toEqual([]);
});

test('what is doubted is listed with what was claimed, up to a bound for each agent and day, and nothing else is', async () => {
  const choices = [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }];
  const honest = { body: { model: mini, choices, usage: { prompt_tokens: 20, completion_tokens: 3 } } };
  await record({ agent: 'doubted' }, honest);
  const claim = { prompt_tokens: billion, completion_tokens: 5 };
  const { id } = await record({ agent: 'doubted' }, { body: { model: mini, choices, usage: claim } });
  await record({ agent: 'doubted' }, { headers: { 'content-type': 'application/x-words' }, body: text });
  const [agent] = await system.api<{ id: string }[]>('/api/v1/agents?search=doubted');
  const path = `/api/v1/costs/doubtful?agent_id=${agent?.id}`;
  const listed = await waitFor('both doubts', async () => {
    const doubts = doubtfulUsageListSchema.parse(await system.api(path));
    return doubts.length === 2 && doubts;
  });
  expect(listed.map(({ reason }) => reason)).toEqual(['unreadable', 'claim_too_large']);
  expect(listed[1]).toMatchObject({
    event_id: id,
    agent_name: 'doubted',
    provider: 'openai',
    model: mini,
    claimed_prompt_tokens: billion,
    claimed_completion_tokens: 5,
    claimed_cost_usd: (billion * price.input + 5 * price.output) / 1e9,
  });
  expect(listed[1]?.cost_usd).toBeLessThan(0.01);
  const since = encodeURIComponent(listed[0]?.started_at ?? '');
  expect(await system.api(`${path}&from=${since}`)).toHaveLength(1);
  expect(await system.api(`${path}&to=${since}`)).toHaveLength(1);
  expect(await system.api(`${path}&limit=1&offset=1`)).toEqual([listed[1]]);
  expect(await system.api('/api/v1/costs/doubtful?agent_id=nobody')).toEqual([]);
  // As many as there may be, of one agent and today.
  await system.database.pool.query(
    `INSERT INTO doubtful_usage SELECT gen_random_uuid(), agent_id, session_id, provider, model, reason, 0, 0, 0, 0, occurred_at
     FROM doubtful_usage JOIN agents ON agents.id = agent_id, generate_series(1, 1000) WHERE reason = 'unreadable' AND name = 'doubted'`,
  );
  await record({ agent: 'doubted' }, { headers: { 'content-type': 'application/x-words' }, body: text });
  await record({ agent: 'doubted-too' }, { headers: { 'content-type': 'application/x-words' }, body: text });
  const count = (name: string) =>
    system.database.pool.query<{ count: number }>(
      'SELECT count(*) FROM doubtful_usage WHERE agent_id = (SELECT id FROM agents WHERE name = $1)',
      [name],
    );
  await waitFor('the doubt of another agent', async () => (await count('doubted-too')).rows[0]?.count === 1);
  expect((await count('doubted')).rows).toEqual([{ count: 1_002 }]);
  expect(await readMetric(system.proxies[0], 'agp_proxy_doubtful_usage_total{reason="unreadable"}')).toBeGreaterThan(0);
});
