import { describeOutcome } from '@agp/core/explain';
import { shortenId } from '@agp/core/text';
import { expect, test } from 'vitest';
import {
  countOf,
  describePii,
  formatAgo,
  formatDuration,
  formatExactUsd,
  formatMinute,
  formatShare,
  formatShortCount,
  formatTime,
  formatUsd,
  formatUtc,
  projectSpend,
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
  expect(formatUsd(usd)).toBe(text);
});

test('the exact amount keeps every decimal that counts', () => {
  expect(formatExactUsd(0.000_213_75)).toBe('0.00021375 USD');
  expect(formatExactUsd(12)).toBe('12.00 USD');
});

test('counts are short where they are long', () => {
  expect(formatShortCount(9_999)).toBe('9,999');
  expect(formatShortCount(12_345)).toBe('12.3K');
  expect(countOf(1, 'event')).toBe('1 event');
  expect(countOf(2_000, 'event')).toBe('2,000 events');
});

test('a share is never rounded to none or all', () => {
  expect([0, 0.000_1, 0.5, 0.999, 1, 1.2].map(formatShare)).toEqual(['0%', '<1%', '50%', '>99%', '100%', '120%']);
});

test('spans and ages', () => {
  expect([240, 3_210, 240_000, 7_500_000, 3 * 86_400_000].map(formatDuration)).toEqual([
    '240 ms',
    '3.2 s',
    '4 min',
    '2 h 5 min',
    '3 d',
  ]);
  expect([0, 12_000, 180_000, 18_000_000].map((ms) => formatAgo(0, ms))).toEqual([
    'just now',
    '12 s ago',
    '3 min ago',
    '5 h ago',
  ]);
});

test('times are in the viewer zone, with the day where it is not today', () => {
  const now = Date.parse('2026-11-22T14:00:00.000Z');
  expect(formatTime('2026-11-22T12:03:22.393Z', now, 'Europe/Berlin')).toBe('13:03:22');
  expect(formatTime('2026-11-20T23:30:00.000Z', now, 'Europe/Berlin')).toBe('21 Nov, 00:30:00');
  expect(formatTime('2025-11-20T12:00:00.000Z', now, 'UTC')).toBe('20 Nov 2025, 12:00:00');
  expect(formatMinute('2026-11-22T12:59:00.000Z', now, 'Europe/Berlin')).toBe('13:59 to 14:00');
  expect(formatMinute('2026-11-20T22:59:00.000Z', now, 'Europe/Berlin')).toBe('20 Nov, 23:59 to 00:00');
  expect(formatUtc('2026-11-22T12:03:22.393Z')).toBe('2026-11-22 12:03:22.393 UTC');
});

test('a projection says when a cap runs out, and nothing where nothing can be said', () => {
  const noon = Date.parse('2026-11-22T12:00:00Z');
  expect(projectSpend(5, null, noon)).toEqual({ kind: 'none' });
  expect(projectSpend(5, 1_000, noon - (noon % 86_400_000) + 60_000)).toEqual({ kind: 'none' });
  expect(projectSpend(5, 5, noon)).toEqual({ kind: 'exhausted' });
  expect(projectSpend(5, 20, noon)).toEqual({ kind: 'safe', endOfDayUsd: 10 });
  expect(projectSpend(8, 12, noon)).toEqual({
    kind: 'runs out',
    at: Date.parse('2026-11-22T18:00:00Z'),
    endOfDayUsd: 16,
  });
});

test('ids and hashes keep their prefix and both ends', () => {
  expect(shortenId(`sha256:${'a'.repeat(32)}${'b'.repeat(32)}`)).toBe('sha256:aaaaaa…bbbbbb');
  expect(shortenId('evt_short')).toBe('evt_short');
});

test('an answer with an error is no success, and nothing found is not said of what was not searched', () => {
  expect(describeOutcome({ outcome: 'completed', http_status: 200 })).toMatchObject({
    text: 'completed',
    tone: 'good',
  });
  expect(describeOutcome({ outcome: 'completed', http_status: 429 })).toMatchObject({
    text: 'answered 429',
    tone: 'bad',
  });
  expect(describeOutcome({ outcome: 'failed', failure: 'refused' }).text).toBe('failed: connection refused');
  expect(describeOutcome({ outcome: null }).text).toBe('not known');
  expect(describePii({ pii_types: [], pii_scan: 'none' }).text).toBe('not searched');
  expect(describePii({ pii_types: ['email', 'iban'] }).text).toBe('email, iban');
});
