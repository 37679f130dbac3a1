import { gzipSync } from 'node:zlib';
import { type CostSummary, doubtfulUsageListSchema } from '@agp/core/contracts';
import { type FakeProvider, type Step, startFakeProvider } from '@agp/testing/providers';
import { beforeAll, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

const sonnet = 'claude-sonnet-4-5-20250929';
const haiku = 'claude-haiku-4-5-20251001';

function line(model: string, usage: object, text: string): string {
  const message = { type: 'message', role: 'assistant', model, usage, content: [{ type: 'text', text }] };
  return `${JSON.stringify({ custom_id: 'c', result: { type: 'succeeded', message } })}\n`;
}

const refused = `${JSON.stringify({ custom_id: 'd', result: { type: 'errored', error: { type: 'error' } } })}\n`;
const tier = { service_tier: 'batch' };
const results =
  line(sonnet, { input_tokens: 150_000, output_tokens: 1_000, ...tier }, 'Yes.') +
  refused +
  line(sonnet, { input_tokens: 100_000, output_tokens: 2_000, ...tier }, 'Write to ada@example.com.') +
  line(haiku, { input_tokens: 10, cache_read_input_tokens: 990, output_tokens: 20, ...tier }, 'No.');

/**
 * At list prices of 3 and 15 USD per million tokens for Sonnet, 1, 0.1 and 5 for Haiku, in nano-dollars, half of it.
 * Sonnet costs twice as much above 200,000 tokens of input: all lines together have more, no single one has.
 */
const nanoUsd = (250_000 * 3_000 + 3_000 * 15_000 + 10 * 1_000 + 990 * 100 + 20 * 5_000) / 2;

/** What the provider sends in place of the results. */
const bodies: Record<string, Step[]> = {
  slow: [results.slice(0, 300), { pauseMs: 60_000 }],
  tailless: [line(haiku, { input_tokens: 1_000, output_tokens: 10, ...tier }, 'No.'), { pauseMs: 60_000 }],
  huge: [results, `"${'x'.repeat(9 * 1024 * 1024)}"\n`],
  // Not compressed within: nothing but the number of bytes counts.
  packed: [gzipSync(results + `"${'x'.repeat(65_536)}"\n`.repeat(160), { level: 0 })],
  tuned: [line('claude-tuned', { input_tokens: 1, output_tokens: 1 }, 'Yes.').repeat(3)],
};

const encodings: Record<string, string> = { encoded: 'x-none', packed: 'gzip' };

let fake: FakeProvider;
let system: System;

beforeAll(async () => {
  fake = await startFakeProvider((request) => {
    if (request.method === 'POST') return { body: { id: 'msgbatch_1', type: 'message_batch' } };
    const body = String(request.headers['x-body']);
    const steps = bodies[body] ?? [results];
    // One that is asked for a range would send it.
    if (request.headers.range) return { status: 416 };
    const status = request.headers['x-partial'] ? 206 : 200;
    const encoding = encodings[body] ? { 'content-encoding': encodings[body] } : {};
    return { status, headers: { 'content-type': 'application/x-jsonl', ...encoding }, body: { steps } };
  });
  system = await startSystem({ proxies: 2, environment: { PROVIDER_ANTHROPIC_URL: fake.url } });
  return async () => {
    await system[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  };
});

let sessions = 0;

/** Sends a request through a proxy as a session of its own. */
async function ask(proxy: number, path: string, init: RequestInit = {}) {
  const session = `ses_batch${sessions++}`;
  const answer = await fetch(`${system.proxies[proxy]?.url}/anthropic${path}`, {
    ...init,
    headers: { 'x-agent-name': 'batcher', 'x-session-id': session, ...init.headers },
  });
  return { session, answer };
}

const resultsOf = (batch: string) => `/v1/messages/batches/${batch}/results`;
const unbilled = { prompt_tokens: 0, completion_tokens: 0, cost_usd: 0, usage_source: 'none', price_version: null };

test('the event that fetches the results of a batch whole carries their cost, once, whichever proxy it came through', async () => {
  const body = JSON.stringify({
    requests: [{ params: { model: sonnet, messages: [{ role: 'user', content: 'Hi' }] } }],
  });
  const made = await ask(0, '/v1/messages/batches', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  expect(await readPayload(system, made.session)).toMatchObject({ ...unbilled, model: sonnet, pii_scan: 'full' });

  const leaving = new AbortController();
  const left = await ask(0, resultsOf('msgbatch_1'), { headers: { 'x-body': 'slow' }, signal: leaving.signal });
  await left.answer.body?.getReader().read();
  leaving.abort();
  expect(await readPayload(system, left.session)).toMatchObject({ ...unbilled, outcome: 'aborted' });

  const first = await ask(0, resultsOf('msgbatch_1'));
  expect(await first.answer.text()).toBe(results);
  expect(await readPayload(system, first.session)).toMatchObject({
    prompt_tokens: 150_000 + 100_000 + 10 + 990,
    completion_tokens: 1_000 + 2_000 + 20,
    cost_usd: nanoUsd / 1e9,
    usage_source: 'provider',
    outcome: 'completed',
    pii_types: ['email'],
    pii_scan: 'full',
  });

  for (const proxy of [0, 1]) {
    const again = await ask(proxy, resultsOf('msgbatch_1'));
    expect(await again.answer.text()).toBe(results);
    expect(await readPayload(system, again.session)).toMatchObject({ ...unbilled, outcome: 'completed' });
  }
});

test('of fetches through two proxies at the same time one carries the cost, and the sum is that of two batches', async () => {
  const before = (await system.api<CostSummary>('/api/v1/costs/summary')).request_count;
  const fetches = await Promise.all(Array.from({ length: 8 }, (_, i) => ask(i % 2, resultsOf('msgbatch_2'))));
  for (const { answer } of fetches) await answer.text();
  const payloads = await Promise.all(fetches.map(({ session }) => readPayload(system, session)));
  expect(payloads.filter(({ cost_usd: cost }) => cost !== 0).map(({ cost_usd: cost }) => cost)).toEqual([
    nanoUsd / 1e9,
  ]);

  const summary = await waitFor('every event', async () => {
    const found = await system.api<CostSummary>('/api/v1/costs/summary');
    return found.request_count === before + fetches.length && found;
  });
  expect(summary.total_cost_usd).toBe((2 * nanoUsd) / 1e9);
});

test('what was fetched in part, or in an encoding that nobody reads, leaves the bill to the next fetch; what holds an unreadable line does not', async () => {
  const billed = { cost_usd: nanoUsd / 1e9, usage_source: 'provider' };
  const fetches: [string, RequestInit, string, object][] = [
    ['msgbatch_3', { headers: { range: 'bytes=0-', 'x-partial': 'yes' } }, '', { ...unbilled, http_status: 206 }],
    ['msgbatch_3', { headers: { 'x-body': 'encoded' } }, '', unbilled],
    ['msgbatch_3', {}, '/', billed],
    ['msgbatch_3', {}, '/', unbilled],
    ['msgbatch_3', {}, '', unbilled],
    // No fetch would ever read more of it.
    [
      'msgbatch_5',
      { headers: { 'x-body': 'huge' } },
      '',
      { ...billed, usage_source: 'estimated', pii_scan: 'partial' },
    ],
    ['msgbatch_5', {}, '', unbilled],
  ];
  for (const [batch, init, slash, expected] of fetches) {
    const { session, answer } = await ask(0, resultsOf(batch) + slash, init);
    await answer.arrayBuffer();
    expect(await readPayload(system, session)).toMatchObject({ ...expected, outcome: 'completed' });
  }
});

test('results that come faster than they can be read are kept waiting, and then read to their end', async () => {
  const { session, answer } = await ask(0, resultsOf('msgbatch_6'), { headers: { 'x-body': 'packed' } });
  expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(10 * 1024 * 1024);
  expect(await readPayload(system, session)).toMatchObject({
    cost_usd: nanoUsd / 1e9,
    usage_source: 'provider',
    outcome: 'completed',
  });
});

test('results that an agent does not fetch to their end are listed with the sum that came', async () => {
  const leaving = new AbortController();
  const fetched = await ask(0, resultsOf('msgbatch_7'), { headers: { 'x-body': 'tailless' }, signal: leaving.signal });
  await fetched.answer.body?.getReader().read();
  leaving.abort();
  expect(await readPayload(system, fetched.session)).toMatchObject({ ...unbilled, outcome: 'aborted' });
  const listed = await waitFor('the doubt', async () => {
    const doubts = doubtfulUsageListSchema.parse(await system.api('/api/v1/costs/doubtful'));
    return doubts.find(({ session_id }) => session_id === fetched.session);
  });
  // Half of 1 and 5 USD a million.
  const claimed_cost_usd = (1_000 * 500 + 10 * 2_500) / 1e9;
  expect(listed).toMatchObject({ reason: 'unreadable', claimed_prompt_tokens: 1_000, claimed_cost_usd, cost_usd: 0 });
});

test('an agent with a cap that leaves before the end of the results spends what they are worth, until it is refused', async () => {
  const headers = { 'x-agent-name': 'capped', 'x-body': 'tailless' };
  const fetchPart = async (batch: string) => {
    const leaving = new AbortController();
    const { session, answer } = await ask(0, resultsOf(batch), { headers, signal: leaving.signal });
    await answer.body?.getReader().read();
    leaving.abort();
    return { status: answer.status, session };
  };
  await ask(0, '/v1/messages/batches', { method: 'POST', body: '{}', headers });
  // Half of 1 and 5 USD a million.
  const cost = (1_000 * 500 + 10 * 2_500) / 1e9;
  const capped = "UPDATE agents SET daily_cap_usd = $1 WHERE name = 'capped'";
  await waitFor('the agent', async () => (await system.database.pool.query(capped, [cost])).rowCount === 1);
  const spent = await waitFor('the cap', async () => {
    const { session } = await fetchPart(`msgbatch_capped_${sessions}`);
    const payload = await readPayload(system, session);
    return payload.cost_usd !== 0 && payload;
  });
  expect(spent).toMatchObject({ cost_usd: cost, usage_source: 'estimated', outcome: 'aborted' });
  await waitFor('a refusal', async () => (await fetchPart('msgbatch_other')).status === 429);
});

test('a batch for a model without a price is one request without a price', async () => {
  const { session, answer } = await ask(1, resultsOf('msgbatch_4'), { headers: { 'x-body': 'tuned' } });
  await answer.arrayBuffer();
  expect(await readPayload(system, session)).toMatchObject({ prompt_tokens: 3, cost_usd: 0, price_version: null });
  expect(await readMetric(system.proxies[1], 'agp_proxy_unpriced_requests_total{provider="anthropic"}')).toBe(1);
});
