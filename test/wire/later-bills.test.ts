import { type BudgetList, doubtfulUsageListSchema } from '@agp/core/contracts';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { beforeAll, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

const model = 'gpt-4o-mini';
const usage = { input_tokens: 1_000, output_tokens: 500, total_tokens: 1_500 };
const queued = { object: 'response', model, status: 'queued', background: true, output: [], usage: null };
const batch = { object: 'batch', model: 'gpt-4o-2024-08-06' };
const batchUsage = { input_tokens: 500_000, output_tokens: 100_000, total_tokens: 600_000 };

let fake: FakeProvider;
let system: System;
let isDone = false;
let started = 0;
let cancelled: { target: string; key: unknown; body: string }[] = [];

beforeAll(async () => {
  fake = await startFakeProvider(({ target: url, method, headers, body }) => {
    const id = url.split('/').at(-1) ?? '';
    if (url.includes('/cancel')) {
      cancelled.push({ target: url, key: headers.authorization, body: body.toString() });
      return { body: { ...queued, id, status: 'cancelled' } };
    }
    if (url.includes('/batches')) {
      const done = { ...batch, status: 'completed', output_file_id: 'file-1', usage: batchUsage };
      return { body: isDone ? { ...done, id } : { ...batch, id, status: 'in_progress', usage: null } };
    }
    if (method === 'GET') return { body: isDone ? { ...queued, id, status: 'completed', usage } : { ...queued, id } };
    started += 1;
    return { body: { ...queued, id: `resp_${started}` } };
  });
  system = await startSystem({ proxies: 2, environment: { PROVIDER_OPENAI_URL: fake.url } });
  return async () => {
    await system[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  };
});

let sessions = 0;

async function ask(proxy: number, path: string, body?: object, headers: Record<string, string> = {}) {
  const session = `ses_later${sessions++}`;
  const answer = await fetch(`${system.proxies[proxy]?.url}/openai${path}`, {
    method: body ? 'POST' : 'GET',
    ...(body && { body: JSON.stringify(body) }),
    headers: { 'x-agent-name': 'later', 'x-session-id': session, 'content-type': 'application/json', ...headers },
  });
  await answer.text();
  return { status: answer.status, payload: answer.ok ? await readPayload(system, session) : null };
}

const free = { cost_usd: 0, prompt_tokens: 0, completion_tokens: 0, usage_source: 'none' };
const work = { model, input: 'Hi', background: true, max_output_tokens: 10_000 };

test('work in the background is held against the cap until its figures come, through whichever proxy, and costs those', async () => {
  isDone = false;
  await ask(0, '/v1/models');
  // 10,000 tokens at 0.6 USD a million, and little more: one fits, two do not.
  const cap = "UPDATE agents SET daily_cap_usd = 0.0075 WHERE name = 'later'";
  await waitFor('the agent', async () => (await system.database.pool.query(cap)).rowCount === 1);
  expect((await ask(0, '/v1/responses', work)).payload).toMatchObject({ ...free, model });
  const held = () => system.api<BudgetList>('/api/v1/budgets');
  await waitFor('what is held', async () => {
    const [budget] = (await held()).agents;
    return budget && budget.spent_usd === 0 && Math.abs(budget.reserved_usd - 0.006) < 0.0001;
  });
  const listed = await waitFor('the doubt', async () => {
    const doubts = doubtfulUsageListSchema.parse(await system.api('/api/v1/costs/doubtful'));
    return doubts.length > 0 && doubts;
  });
  const listing = { reason: 'billed_later', claimed_completion_tokens: 10_000, cost_usd: 0 };
  expect(listed).toMatchObject([{ ...listing, ended_by_event_id: null }]);
  expect((await ask(1, '/v1/responses', work)).status).toBe(429);
  expect((await ask(1, '/v1/responses/resp_1')).payload).toMatchObject(free);

  isDone = true;
  const figures = { prompt_tokens: 1_000, completion_tokens: 500, usage_source: 'provider' };
  const cost_usd = (1_000 * 0.15 + 500 * 0.6) / 1e6;
  const billed = (await ask(1, '/v1/responses/resp_1')).payload;
  expect(billed).toMatchObject({ ...figures, cost_usd });
  expect(await system.api('/api/v1/costs/doubtful')).toMatchObject([{ ...listing, ended_by_event_id: billed?.id }]);
  for (const proxy of [0, 1])
    expect((await ask(proxy, '/v1/responses/resp_1')).payload).toMatchObject({ ...free, model });
  await waitFor('what was held', async () => {
    const [budget] = (await held()).agents;
    return budget?.reserved_usd === 0 && budget.spent_usd === cost_usd;
  });
  expect((await ask(0, '/v1/responses', work)).status).toBe(200);
});

test('a batch costs half of what it says it used, once, whichever proxy it came through', async () => {
  isDone = false;
  const headers = { 'x-agent-name': 'batcher' };
  expect((await ask(0, '/v1/batches', { input_file_id: 'file-0' }, headers)).payload).toMatchObject(free);
  expect((await ask(0, '/v1/batches/batch_1', undefined, headers)).payload).toMatchObject(free);
  isDone = true;
  const polled = await Promise.all([0, 1, 0, 1].map((proxy) => ask(proxy, '/v1/batches/batch_1', undefined, headers)));
  const costs = polled.map(({ payload }) => payload?.cost_usd).sort();
  expect(costs).toEqual([0, 0, 0, 1.125]);
  const billed = polled.find(({ payload }) => payload?.cost_usd === 1.125);
  expect(billed?.payload).toMatchObject({ prompt_tokens: 500_000, completion_tokens: 100_000, model: batch.model });
});

test('what a blocked agent has in the background is cancelled at the provider, with the credential that started it, once', async () => {
  isDone = false;
  cancelled = [];
  const keyed = (agent: string) => ({ 'x-agent-name': agent, authorization: `Bearer sk-${agent}` });
  for (const agent of ['worker', 'other']) await ask(0, '/v1/responses?api-version=1', work, keyed(agent));
  const [first, second] = [`resp_${started + 1}`, `resp_${started + 2}`];
  await ask(0, '/v1/responses', work, keyed('worker'));
  await ask(1, '/v1/responses', work, keyed('worker'));
  // Through this proxy it was seen to have ended.
  isDone = true;
  await ask(0, `/v1/responses/${first}`, undefined, keyed('worker'));
  await system.database.pool.query("UPDATE agents SET status = 'blocked' WHERE name = 'worker'");
  await waitFor('the cancellations', async () => cancelled.length === 2);
  expect(cancelled).toContainEqual({ target: `/v1/responses/${second}/cancel`, key: 'Bearer sk-worker', body: '' });
  expect(cancelled).toContainEqual({
    target: `/v1/responses/resp_${started - 3}/cancel?api-version=1`,
    key: 'Bearer sk-worker',
    body: '',
  });
  expect(await readMetric(system.proxies[0], 'agp_proxy_killed_requests_total{reason="agent_blocked"}')).toBe(1);
});
