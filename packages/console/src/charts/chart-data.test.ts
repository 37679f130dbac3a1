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
  const used = [{ hour: '2026-11-22T13:00:00.000Z', total_cost_usd: 2, request_count: 3 }];
  const hours = fillHours(used, Date.parse('2026-11-21T14:00:00Z'), now);
  expect(hours).toHaveLength(25);
  expect(hours[0]).toEqual({ at: Date.parse('2026-11-21T14:00:00Z'), cost: 0, requests: 0 });
  expect(hours.at(-2)).toEqual({ at: Date.parse('2026-11-22T13:00:00Z'), cost: 2, requests: 3 });
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
