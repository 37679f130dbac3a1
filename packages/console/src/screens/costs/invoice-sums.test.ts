import type { ReconciledRow } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { nameDays, nameMonth, shiftMonth, sumEach, tellMonth } from './invoice-sums.ts';

const row = (over: Partial<ReconciledRow>): ReconciledRow => ({
  ...{ day: '2026-10-01', provider: 'openai', model: 'gpt-4o', recorded_usd: 0.1, billed_usd: 0.3, gap_usd: 0.2 },
  ...{ unrecorded_usd: 0, doubtful_usd: 0, other_day_usd: 0, unpriced_usd: 0, beside_usd: 0.2 },
  ...over,
});
const nothing = (day: string) => row({ day, recorded_usd: 0, billed_usd: 0, gap_usd: 0, beside_usd: 0 });
const now = Date.parse('2026-11-22');

test('a month is told in a sentence: whose bill it is, and what did not pass here or was not billed', () => {
  const rows = [row({ recorded_usd: 1_204.5, billed_usd: 1_240, beside_usd: 20.1 }), nothing('2026-10-31')];
  expect(tellMonth('2026-10', rows, now)).toBe(
    'October: 1,204.50 USD recorded, 1,240.00 billed by OpenAI; 20.10 did not pass here.',
  );
  const less = [row({ beside_usd: -0.1 }), row({ provider: 'anthropic', beside_usd: -0.2 })];
  expect(tellMonth('2025-12', less, now)).toBe(
    '1 December 2025: 0.20 USD recorded, 0.60 billed by OpenAI and Anthropic; 0.30 recorded was not billed.',
  );
  expect(tellMonth('2026-10', [row({ beside_usd: 0 })], now)).toContain('; all of the gap is explained.');
  // A discount on one model hides nothing of what bypassed the proxy on another.
  const both = [row({ beside_usd: 2_000 }), row({ model: 'other', beside_usd: -2_000 })];
  expect(tellMonth('2026-10', both, now)).toContain('; 2,000.00 did not pass here; 2,000.00 recorded was not billed.');
});

test('part of a month is not told as the month', () => {
  const told = (month: string, ...days: string[]) =>
    nameDays(
      month,
      days.map((day) => nothing(`${month}-${day}`)),
      now,
    );
  expect(told('2026-10', '31', '01')).toBe('October');
  expect(told('2026-10', '16', '20', '31')).toBe('16 to 31 October');
  expect(told('2026-11', '01', '21')).toBe('1 to 21 November');
  expect([told('2024-02', '01', '28'), told('2024-02', '01', '29')]).toEqual([
    ...['1 to 28 February 2024', 'February 2024'],
  ]);
  expect(tellMonth('2026-10', [row({ day: '2026-10-16' }), nothing('2026-10-31')], now)).toMatch(/^16 to 31 October: /);
  expect([told('2026-11', '01'), told('2026-11')]).toEqual(['1 November', 'November']);
});

test('sums of days and models are exact, and months go on over the year', () => {
  const rows = [row({}), row({ model: 'other' }), row({ day: '2026-10-02' })];
  expect(sumEach(rows, 'day').map(({ name, billed_usd }) => [name, billed_usd])).toEqual([
    ['2026-10-01', 0.6],
    ['2026-10-02', 0.3],
  ]);
  expect(sumEach(rows, 'model').map(({ name, recorded_usd }) => [name, recorded_usd])).toEqual([
    ['gpt-4o', 0.2],
    ['other', 0.1],
  ]);
  expect([shiftMonth('2026-12', 1), shiftMonth('2026-01', -1), nameMonth('2026-01', now)]).toEqual([
    ...['2027-01', '2025-12', 'January'],
  ]);
});
