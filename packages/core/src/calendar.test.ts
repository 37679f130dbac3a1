import { expect, test } from 'vitest';
import { expectOfMonth } from './calendar.ts';

const now = new Date('2026-11-11T00:00:00Z');

test.each([
  ['2026-11-01', undefined, 30],
  ['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z', 30],
  ['2026-11-01', '2026-11-05', null],
  ['2026-11-02', undefined, null],
  ['2026-10-01', '2026-11-01', null],
  [undefined, undefined, null],
])('of 10 that were used from %s to %s, %s are expected at the end of the month', (from, to, expected) => {
  expect(expectOfMonth(10, { from, to }, now)).toBe(expected);
});
