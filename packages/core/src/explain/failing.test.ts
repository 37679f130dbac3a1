import { expect, test } from 'vitest';
import type { CostUsageEntry } from '../contracts/index.ts';
import { findFailing, isSurprising, tellFailures } from './failing.ts';

const of = (agent_id: string, request_count: number, failed_count: number) =>
  ({ agent_id, request_count, failed_count }) as CostUsageEntry;

test.each([
  ['a few requests are no rule', of('a', 9, 9), undefined, []],
  ['fewer than a fifth', of('a', 100, 19), undefined, []],
  ['never seen before', of('a', 10, 2), undefined, [null]],
  ['more than it does', of('a', 100, 50), of('a', 1_000, 200), [0.2]],
  ['as it always does', of('a', 100, 40), of('a', 1_000, 200), []],
  ['as another always does', of('a', 100, 40), of('b', 1_000, 900), [null]],
])('failing: %s', (_what, latest, week, found) => {
  expect(findFailing([latest], week && [week]).map(({ before }) => before)).toEqual(found);
});

test('who failed most stands first', () => {
  const found = findFailing([of('a', 10, 10), of('b', 90, 30)]);
  expect(found.map(({ entry }) => entry.agent_id)).toEqual(['b', 'a']);
});

test.each([
  ['all of ten', of('a', 10, 10), null, true],
  ['as few as come by chance', of('a', 14, 5), 0.12, false],
  ['few of few', of('a', 20, 9), 0, false],
  ['twice as many as usual, by chance', of('a', 50, 12), 0.12, false],
  ['twice as many as usual, of many', of('a', 500, 121), 0.12, true],
])('surprising: %s', (_what, entry, before, expected) => {
  expect(isSurprising(entry, before)).toBe(expected);
});

test('of a long session it is said how many events were looked at', () => {
  expect(tellFailures({ event_count: 1_000, failed_count: 3 })).toBe('3');
  expect(tellFailures({ event_count: 1_001, failed_count: 3 })).toBe('3 of the last 1,000');
});
