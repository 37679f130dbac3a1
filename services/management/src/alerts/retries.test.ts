import { expect, test } from 'vitest';
import { planNext } from './retries.ts';
import { failed, readRetryAfter } from './senders/post.ts';

test('a message is tried fifteen times over three days, with growing pauses', () => {
  const pauses: number[] = [];
  for (let attempts = 0; ; attempts += 1) {
    const next = planNext(failed('HTTP 500'), attempts, 0.5);
    if (next.state !== 'waiting') {
      expect(next).toEqual({ state: 'dead', error: 'HTTP 500' });
      break;
    }
    pauses.push(next.inMs);
  }
  expect(pauses).toHaveLength(14);
  expect(pauses.slice(0, 3)).toEqual([5_000, 30_000, 120_000]);
  const hours = pauses.reduce((sum, each) => sum + each) / 3_600_000;
  expect(Math.round(hours)).toBe(72);
});

test('pauses differ, and are never shorter than a receiver asks', () => {
  const inMs = (chance: number, waitMs: number | null) =>
    (planNext({ ...failed('HTTP 429'), waitMs }, 0, chance) as { inMs: number }).inMs;
  expect([inMs(0, null), inMs(1, null), inMs(1, 1_000), inMs(0, 60_000)]).toEqual([4_000, 6_000, 6_000, 60_000]);
});

test.each([
  ['120', 120_000],
  ['0', 0],
  ['999999', 3_600_000],
  ['Sat, 28 Nov 2026 00:02:00 GMT', 120_000],
  ['Sat, 28 Nov 2020 00:02:00 GMT', 0],
  ['Sat, 28 Nov 2036 00:02:00 GMT', 3_600_000],
  ['soon', null],
  ['', null],
])('Retry-After: %s', (text, ms) => {
  expect(readRetryAfter(text, Date.parse('2026-11-28T00:00:00Z'))).toBe(ms);
});
