import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { priceVersion } from '@agp/catalogue';
import type { CostSummary, UnpricedModel } from '@agp/core/contracts';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

let fake: FakeProvider;
let system: System;
const folder = mkdtempSync(join(tmpdir(), 'agp-prices-'));
const prices = join(folder, 'prices.json');

beforeAll(async () => {
  const usage = { prompt_tokens: 1_001, completion_tokens: 20, total_tokens: 1_021 };
  const tools = { code_execution_requests: 1, robots_hired: 3 };
  const ran = { input_tokens: 100, output_tokens: 10, server_tool_use: tools };
  fake = await startFakeProvider(({ body }) => {
    const asked = JSON.parse(body.toString()) as { model: string; service_tier?: string; background?: boolean };
    const { model, service_tier } = asked;
    if (model.startsWith('claude')) return { body: { model, content: [{ type: 'text', text: 'Ran.' }], usage: ran } };
    if (asked.background) return { body: { object: 'response', model, status: 'queued', output: [], usage: null } };
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }];
    return { body: { id: 'chatcmpl-1', object: 'chat.completion', model, service_tier, choices, usage } };
  });
  const stepped = { base: 0.1, tiers: [{ start: 1_000, price: 0.7 }] };
  const entries = [
    { provider: 'here', model: 'tuned-*', prices: { input_mtok: stepped, output_mtok: 3 } },
    { provider: 'there', model: '*', prices: { input_mtok: 0, output_mtok: 0 } },
  ];
  writeFileSync(prices, JSON.stringify(entries));
  const providers = { PROVIDER_HERE_URL: fake.url, PROVIDER_THERE_URL: fake.url, PROVIDER_ANTHROPIC_URL: fake.url };
  system = await startSystem({ environment: { ...providers, PRICES_FILE: prices } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await fake?.stop();
  rmSync(folder, { recursive: true });
});

async function ask(provider: string, model: string, serviceTier?: string): Promise<Record<string, unknown>> {
  const sessionId = `ses_${randomUUID()}`;
  const answer = await fetch(`${system.proxies[0]?.url}/${provider}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'buyer', 'x-session-id': sessionId },
    body: JSON.stringify({ model, service_tier: serviceTier, messages: [{ role: 'user', content: 'Well?' }] }),
  });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  return readPayload(system, sessionId);
}

const file = expect.stringMatching(/^genai-prices \S+ \+ prices-file [0-9a-f]{16}$/);

test('each provider has the prices that the file gives it, and the record says where they are from', async () => {
  expect(await ask('here', 'tuned-7')).toMatchObject({ cost_usd: 0.0007607, price_version: file });
  expect(await ask('there', 'tuned-7')).toMatchObject({ cost_usd: 0, price_version: file });
  expect(await ask('here', 'gpt-5')).toMatchObject({ cost_usd: 0.00145125, price_version: priceVersion });
});

test('the tier that the provider says it served is what is charged', async () => {
  const flex = { cost_usd: 0.000725625, price_version: `${priceVersion}, flex at half` };
  expect(await ask('here', 'gpt-5', 'flex')).toMatchObject(flex);
  const priority = { cost_usd: 0.0029025, price_version: `${priceVersion}, priority at 2 times` };
  expect(await ask('here', 'gpt-5', 'priority')).toMatchObject(priority);
});

test('what has no price costs nothing, and is seen in the list and the metrics', async () => {
  const before = await system.api<CostSummary>('/api/v1/costs/summary');
  for (let call = 0; call < 2; call += 1) {
    expect(await ask('here', 'nobody-lists-this')).toMatchObject({ cost_usd: 0, price_version: null });
  }
  const listed = await waitFor('both calls', async () => {
    const models = await system.api<UnpricedModel[]>('/api/v1/costs/unpriced');
    return models[0]?.request_count === 2 && models;
  });
  expect(listed).toEqual([
    {
      provider: 'here',
      model: 'nobody-lists-this',
      unit: null,
      request_count: 2,
      total_prompt_tokens: 2_002,
      total_completion_tokens: 40,
      first_seen_at: expect.any(String),
      last_seen_at: expect.any(String),
    },
  ]);
  const after = await system.api<CostSummary>('/api/v1/costs/summary');
  expect(after.total_cost_usd).toBe(before.total_cost_usd);
  expect(await readMetric(system.proxies[0], 'agp_proxy_unpriced_requests_total{provider="here"}')).toBe(2);
});

test('a unit without a price, and a figure that nobody understands, are named', async () => {
  const answered = await fetch(`${system.proxies[0]?.url}/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session-id': 'ses_ran' },
    body: JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'Run.' }] }),
  });
  expect(answered.status).toBe(200);
  await answered.arrayBuffer();
  // 100 tokens at 1 USD a million, 10 at 5.
  const unit = 'code_executions_kcount';
  const priced = { cost_usd: 0.00015, price_version: `${priceVersion}, without ${unit}` };
  expect(await readPayload(system, 'ses_ran')).toMatchObject(priced);
  const models = await system.api<UnpricedModel[]>('/api/v1/costs/unpriced');
  expect(models).toContainEqual(expect.objectContaining({ provider: 'anthropic', model: 'claude-haiku-4-5', unit }));
  const read = (name: string) => readMetric(system.proxies[0], name);
  expect(await read(`agp_proxy_unpriced_units_total{provider="anthropic",unit="${unit}"}`)).toBe(1);
  const figure = 'server_tool_use.robots_hired';
  expect(await read(`agp_proxy_unread_figures_total{provider="anthropic",figure="${figure}"}`)).toBe(1);
});

test('a response in the background, whose usage nobody may ever ask for, is taken to be as long as it may', async () => {
  const sessionId = `ses_${randomUUID()}`;
  await fetch(`${system.proxies[0]?.url}/here/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session-id': sessionId },
    body: JSON.stringify({ model: 'gpt-4o', input: 'one', background: true, max_output_tokens: 77 }),
  });
  const figures = { prompt_tokens: 1, completion_tokens: 77, usage_source: 'estimated', cost_usd: 0.0007725 };
  expect(await readPayload(system, sessionId)).toMatchObject(figures);
});
