import { shortenId } from '@agp/core/text';
import { expect, test } from 'vitest';
import {
  findNextMorning,
  formatAgo,
  formatLocalTime,
  formatMinute,
  formatShortCount,
  nameEntry,
  projectSpend,
  roundUsd,
} from './format.ts';

test.each([
  [0, '$0'],
  [0.000_000_001, '<$0.000001'],
  [0.000_213_75, '$0.00021'],
  [0.05, '$0.05'],
  [0.1, '$0.10'],
  [0.0396, '$0.04'],
  [0.002, '$0.002'],
  [0.000_099_6, '$0.0001'],
  [0.996, '$1.00'],
  [12.345, '$12.35'],
  [999.99, '$999.99'],
  [1_234_567.8, '$1,234,568'],
])('%d USD is written %s', (usd, text) => {
  expect(roundUsd(usd)).toBe(text);
});

test('counts are short where they are long', () => {
  expect(formatShortCount(9_999)).toBe('9,999');
  expect(formatShortCount(12_345)).toBe('12.3K');
});

test('ages', () => {
  expect([0, 12_000, 180_000, 18_000_000].map((ms) => formatAgo(0, ms))).toEqual([
    'just now',
    '12 s ago',
    '3 min ago',
    '5 h ago',
  ]);
});

test('times are in the viewer zone, with the day where it is not today', () => {
  const now = Date.parse('2026-11-22T14:00:00.000Z');
  expect(formatLocalTime('2026-11-22T12:03:22.393Z', now, 'Europe/Berlin')).toBe('13:03:22');
  expect(formatLocalTime('2026-11-20T23:30:00.000Z', now, 'Europe/Berlin')).toBe('21 Nov, 00:30:00');
  expect(formatLocalTime('2025-11-20T12:00:00.000Z', now, 'UTC')).toBe('20 Nov 2025, 12:00:00');
  expect(formatMinute('2026-11-22T12:59:00.000Z', now, 'Europe/Berlin')).toBe('13:59 to 14:00');
  expect(formatMinute('2026-11-20T22:59:00.000Z', now, 'Europe/Berlin')).toBe('20 Nov, 23:59 to 00:00');
});

test('a projection says when a cap runs out, and nothing where nothing can be said', () => {
  const noon = Date.parse('2026-11-22T12:00:00Z');
  expect(projectSpend(5, null, 1, noon)).toEqual({ kind: 'none' });
  expect(projectSpend(5, 5, 1, noon)).toEqual({ kind: 'exhausted' });
  // What was spent long ago says nothing about the pace.
  expect(projectSpend(5, 20, 0, noon)).toEqual({ kind: 'safe', endOfDayUsd: 5 });
  expect(projectSpend(5, 20, 1, noon)).toEqual({ kind: 'safe', endOfDayUsd: 17 });
  expect(projectSpend(8, 12, 2 / 3, noon)).toEqual({
    kind: 'runs out',
    at: Date.parse('2026-11-22T18:00:00Z'),
    endOfDayUsd: 16,
  });
});

test.each([
  ['active', 'blocked', 'Agent blocked'],
  ['blocked', 'active', 'Agent unblocked'],
  ['blocked', 'retired', 'Agent retired'],
  ['blocked', 'blocked', 'Agent changed'],
])('an agent that was %s and is %s is told as %s', (was, is, name) => {
  const entry = { action: 'agent.update' as const, before: { status: was }, after: { status: is, metadata: {} } };
  expect(nameEntry(entry)).toBe(name);
});

test.each([
  ['2026-11-26T03:00:00', '2026-11-26T08:00:00'],
  ['2026-11-26T08:00:00', '2026-11-27T08:00:00'],
  ['2026-12-31T22:00:00', '2027-01-01T08:00:00'],
])('after %s the next morning is %s', (now, morning) => {
  expect(findNextMorning(Date.parse(now))).toEqual(new Date(morning));
});

test('ids and hashes keep their prefix and both ends', () => {
  expect(shortenId(`sha256:${'a'.repeat(32)}${'b'.repeat(32)}`)).toBe('sha256:aaaaaa…bbbbbb');
  expect(shortenId('evt_short')).toBe('evt_short');
});
