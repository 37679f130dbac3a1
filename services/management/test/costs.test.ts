import { costBreakdownSchema, costSummarySchema, unpricedModelListSchema } from '@agp/core/contracts';
import type { EventMessage } from '@agp/core/events';
import { expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();

test('nothing recorded costs nothing, from no date to no date', async () => {
  await using empty = await startTestManagement();
  await seedAgent(empty.database, 'idle');
  expect(await empty.read('/api/v1/costs/summary', costSummarySchema)).toEqual({
    total_cost_usd: 0,
    total_prompt_tokens: 0,
    total_completion_tokens: 0,
    total_tokens: 0,
    date_from: null,
    date_to: null,
    agent_count: 0,
    request_count: 0,
  });
  expect(await empty.read('/api/v1/costs/breakdown', costBreakdownSchema)).toEqual([]);
  expect(await empty.read('/api/v1/costs/unpriced', unpricedModelListSchema)).toEqual([]);
});

test('sums are exact, requests are counted once, and order and ties are as documented', async () => {
  const { database } = management;
  const [cheap, dear, twin] = (await Promise.all(
    ['cheap', 'dear', 'twin'].map((name) => seedAgent(database, name)),
  )) as [string, string, string];
  await seedAgent(database, 'idle');
  const pair = { counts_as_request: false, direction: 'request', completion_tokens: 0, cost_nano_usd: 0 } as const;
  await seedEvents(database, [
    // Ten times 0.1 is 0.9999999999999999 in doubles.
    ...Array.from({ length: 10 }, (_, index) =>
      makeEvent(dear, 'ses_dear', `2026-03-01T00:00:00.00${index}Z`, { cost_nano_usd: 100_000_000, model: 'o3' }),
    ),
    makeEvent(dear, 'ses_dear', '2026-03-05T12:00:00.000Z', { ...pair, model: 'Zeta' }),
    makeEvent(dear, 'ses_dear', '2026-03-05T12:00:00.001Z', { cost_nano_usd: 0, model: 'alpha' }),
    makeEvent(cheap, 'ses_cheap', '2026-02-28T23:59:59.999Z', { cost_nano_usd: 1 }),
    makeEvent(twin, 'ses_twin', '2026-03-02T00:00:00.000Z', { cost_nano_usd: 1 }),
  ]);
  await management.call(`/api/v1/agents/${twin}/retire`, { method: 'POST' });

  expect(await management.read('/api/v1/costs/summary', costSummarySchema)).toEqual({
    total_cost_usd: 1.000000002,
    total_prompt_tokens: 140,
    total_completion_tokens: 65,
    total_tokens: 205,
    date_from: '2026-02-28T23:59:59.999Z',
    date_to: '2026-03-05T12:00:00.001Z',
    agent_count: 3,
    request_count: 13,
  });
  const breakdown = await management.read('/api/v1/costs/breakdown', costBreakdownSchema);
  const ties = [cheap, twin].sort();
  expect(breakdown.map((entry) => entry.agent_id)).toEqual([dear, ...ties]);
  expect(breakdown[0]).toEqual({
    agent_id: dear,
    agent_name: 'dear',
    total_cost_usd: 1,
    total_prompt_tokens: 120,
    total_completion_tokens: 55,
    total_tokens: 175,
    request_count: 11,
    avg_cost_per_request_usd: 1 / 11,
    models_used: ['Zeta', 'alpha', 'o3'],
  });
});

test('an agent with only the first half of a pair has no mean cost', async () => {
  await using own = await startTestManagement();
  const id = await seedAgent(own.database, 'waiting');
  const half = { counts_as_request: false, direction: 'request', completion_tokens: 0, cost_nano_usd: 0 } as const;
  await seedEvents(own.database, [makeEvent(id, 'ses_half', '2026-03-01T00:00:00.000Z', half)]);
  const [entry] = await own.read('/api/v1/costs/breakdown', costBreakdownSchema);
  expect(entry).toMatchObject({ request_count: 0, avg_cost_per_request_usd: 0 });
});

test('usage without a price is listed by provider and model, the most requested first, ties by provider and model', async () => {
  await using own = await startTestManagement();
  const id = await seedAgent(own.database, 'unpriced');
  const use = (minute: string, provider: string, model: string, fields: Partial<EventMessage> = {}) =>
    makeEvent(id, 'ses_unpriced', `2026-03-01T00:${minute}:00.000Z`, { provider, model, cost_nano_usd: 0, ...fields });
  await seedEvents(own.database, [
    use('01', 'vllm', 'b'),
    use('02', 'vllm', 'B'),
    use('03', 'local', 'z'),
    use('06', 'vllm', 'twice', { prompt_tokens: 100, completion_tokens: 1 }),
    use('05', 'vllm', 'twice', { usage_source: 'estimated' }),
    use('07', 'openai', 'gpt-4o', { price_version: 'genai-prices 0.1.8', cost_nano_usd: 5 }),
    use('08', 'openai', 'gpt-4o', { usage_source: 'none', prompt_tokens: 0, completion_tokens: 0 }),
    use('09', 'openai', 'gpt-4o', { price_version: 'genai-prices 0.1.8, without a_kcount+b_hours', cost_nano_usd: 5 }),
  ]);
  const models = await own.read('/api/v1/costs/unpriced', unpricedModelListSchema);
  expect(models.map(({ provider, model, unit }) => `${provider} ${model}${unit === null ? '' : `, ${unit}`}`)).toEqual([
    'vllm twice',
    'local z',
    'openai gpt-4o, a_kcount',
    'openai gpt-4o, b_hours',
    'vllm B',
    'vllm b',
  ]);
  expect(models[0]).toEqual({
    provider: 'vllm',
    model: 'twice',
    unit: null,
    request_count: 2,
    total_prompt_tokens: 110,
    total_completion_tokens: 6,
    first_seen_at: '2026-03-01T00:05:00.000Z',
    last_seen_at: '2026-03-01T00:06:00.000Z',
  });
});
