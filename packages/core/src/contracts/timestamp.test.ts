import { expect, test } from 'vitest';
import { readTime, timeParameterSchema } from './timestamp.ts';

const now = new Date('2026-11-22T05:10:20.300Z');

test.each([
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T02:00:00+02:00', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T09:30:00.123Z', '2026-11-20T09:30:00.123Z'],
  ['today', '2026-11-22T00:00:00.000Z'],
  ['yesterday', '2026-11-21T00:00:00.000Z'],
  ['week', '2026-11-16T00:00:00.000Z'],
  ['last-week', '2026-11-09T00:00:00.000Z'],
  ['month', '2026-11-01T00:00:00.000Z'],
  ['last-month', '2026-10-01T00:00:00.000Z'],
  ['30m', '2026-11-22T04:40:20.300Z'],
  ['24h', '2026-11-21T05:10:20.300Z'],
  ['7d', '2026-11-15T05:10:20.300Z'],
  ['99999d', '1753-02-07T05:10:20.300Z'],
])('%s is %s', (text, time) => {
  expect(readTime(text, now)?.toISOString()).toBe(time);
});

test.each([
  ['2026-11-23T00:00:00.000Z', '2026-11-16'],
  ['2026-11-25T12:00:00.000Z', '2026-11-16'],
  ['2027-01-01T00:00:00.000Z', '2026-12-21', '2026-12-01'],
  ['2026-01-31T23:59:59.999Z', '2026-01-19', '2025-12-01'],
])('at %s last week began on %s, and last month on %s', (at, week, month = '2026-10-01') => {
  const days = ['last-week', 'last-month'].map((word) => readTime(word, new Date(at))?.toISOString().slice(0, 10));
  expect(days).toEqual([week, month]);
});

test.each([
  ...[
    'constructor',
    'last-year',
    '',
    ' ',
    '7',
    'd',
    '0d',
    '-7d',
    '+7d',
    '07d',
    '1.5h',
    '7 d',
    '7D',
    '7d ',
    '1w',
    '1y',
    '30s',
    '100000d',
    '1h30m',
  ],
  ...['Today', 'tomorrow', 'now', '2026', '20261120', '2026-11', '2026-13-01', '2026-02-30', '2026-11-20 09:30:00'],
  ...['2026-11-20T09:30', '2026-11-20T09:30:00', '1763622600', '1763622600000', '٧d', '7d\n', '9'.repeat(10_000)],
])('%j is no time', (text) => {
  expect(readTime(text, now)).toBeNull();
  expect(timeParameterSchema.safeParse(text).error?.issues[0]?.message).toMatch(/^must be a time such as .* 7d$/);
});
