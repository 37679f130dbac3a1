import { expect, test } from 'vitest';
import { findFirstDay, sumUsage, type UsageEntry } from './sum-usage.ts';

const entry = (day: string, model: string, total_cost_usd: number): UsageEntry => ({
  day,
  model,
  total_cost_usd,
  total_prompt_tokens: 10,
  total_completion_tokens: 5,
  total_tokens: 15,
  request_count: 1,
});

test('days are put together exactly, the dearest first', () => {
  const sums = sumUsage(
    [entry('2026-11-01', 'a', 0.1), entry('2026-11-02', 'b', 3), entry('2026-11-02', 'a', 0.2)],
    ['model'],
  );
  expect(
    sums.map(({ values, cost, requests, promptTokens }) => [values[0]?.name, cost, requests, promptTokens]),
  ).toEqual([
    ['b', 3, 1, 10],
    ['a', 0.3, 2, 20],
  ]);
});

test('an agent is known by its id, whatever its name', () => {
  const of = (agent_id: string, agent_name: string | null) => ({ ...entry('2026-11-01', '', 1), agent_id, agent_name });
  const sums = sumUsage([of('agt_1', 'same'), of('agt_2', 'same'), of('agt_3', null)], ['agent']);
  expect(sums.map(({ values: [agent] }) => [agent?.key, agent?.name])).toEqual([
    ['agt_1', 'same'],
    ['agt_2', 'same'],
    ['agt_3', 'agt_3'],
  ]);
});

test('two groups are summed by each pair, whatever their texts', () => {
  const of = (compliance_tag: string, model: string) => ({ ...entry('2026-11-01', model, 1), compliance_tag });
  const sums = sumUsage([of('a', 'b'), of('a', 'c'), of('a","', 'b'), of('a', 'b')], ['tag', 'model']);
  expect(sums.map(({ values, cost }) => [...values.map(({ name }) => name), cost])).toEqual([
    ['a', 'b', 2],
    ['a', 'c', 1],
    ['a","', 'b', 1],
  ]);
});

test.each([
  ['1d', '2026-11-22'],
  ['7d', '2026-11-16'],
  ['30d', '2026-10-24'],
  ['90d', '2026-08-25'],
])('%s begin so that today is the last of them', (span, first) => {
  for (const time of ['T00:00:00.000Z', 'T23:59:59.999Z']) {
    const now = Date.parse(`2026-11-22${time}`);
    expect(findFirstDay(span, now)).toBe(first);
    const days = (Date.parse('2026-11-23') - Date.parse(first)) / 86_400_000;
    expect(`${days}d`).toBe(span);
  }
});

test.each(['today', 'yesterday', '2026-11-20', '24h'])('%s is left as it is', (span) => {
  expect(findFirstDay(span)).toBe(span);
});
