import { expect, test } from 'vitest';
import { findFirstDay } from './sum-usage.ts';

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
