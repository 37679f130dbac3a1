import { expect, test } from 'vitest';
import { fillHours, listTicks, stackDays } from './chart-data.ts';

test('the dearest groups stand by themselves, the others as one, and days between are there', () => {
  const entry = (day: number, group: string, cost: number) => ({ day: `2026-11-0${day}`, group, cost });
  const { days, groups } = stackDays(
    [entry(1, 'a', 5), entry(1, 'b', 1), entry(3, 'c', 2), entry(3, 'a', 1), entry(3, '__proto__', 0.5)],
    2,
  );
  expect(groups).toEqual(['a', 'c', 'all others']);
  expect(days.map(({ day, costs }) => [day, { ...costs }])).toEqual([
    ['2026-11-01', { a: 5, 'all others': 1 }],
    ['2026-11-02', {}],
    ['2026-11-03', { c: 2, a: 1, 'all others': 0.5 }],
  ]);
});

test('nothing makes no bars, and centuries are not filled', () => {
  expect(stackDays([], 3)).toEqual({ days: [], groups: [] });
  const far = ['1800-01-01', '2026-01-01'].map((day) => ({ day, group: 'a', cost: 1 }));
  expect(stackDays(far, 3).days).toHaveLength(2);
});

test('every hour of a window is there, with usage or without', () => {
  const now = Date.parse('2026-11-22T14:30:00Z');
  const times = { p50_ms: 50, p95_ms: null, first_byte_p50_ms: 40, first_byte_p95_ms: null };
  const sums = { total_cost_usd: 2, request_count: 3, failed_count: 1, ...times };
  const tokens = { total_tokens: 9, total_prompt_tokens: 5, total_completion_tokens: 4 };
  const used = [{ hour: '2026-11-22T13:00:00.000Z', ...sums, ...tokens }];
  const none = { cost: 0, requests: 0, failed: 0, tokensIn: 0, tokensOut: 0, p50: null, p95: null, firstByte: null };
  const hours = fillHours(used, Date.parse('2026-11-21T14:00:00Z'), now);
  expect(hours).toHaveLength(25);
  expect(hours[0]).toEqual({ at: Date.parse('2026-11-21T14:00:00Z'), ...none });
  const last = { cost: 2, requests: 3, failed: 1, tokensIn: 5, tokensOut: 4, p50: 50, p95: null, firstByte: 40 };
  expect(hours.at(-2)).toEqual({ at: Date.parse('2026-11-22T13:00:00Z'), ...last });
});

test.each([
  [0, 0, [0, 0.5, 1]],
  [0.022, 0, [0, 0.01, 0.02, 0.03]],
  [0.3, 0, [0, 0.1, 0.2, 0.3]],
  [1, 1, [0, 1]],
  [3, 1, [0, 1, 2, 3]],
  [9_870, 1, [0, 5_000, 10_000]],
  [80, 0, [0, 20, 40, 60, 80]],
])('ticks up to %d are round and equally far apart', (max, leastStep, ticks) => {
  expect(listTicks(max, leastStep)).toEqual(ticks);
});
