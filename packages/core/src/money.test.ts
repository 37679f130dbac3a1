import { expect, test } from 'vitest';
import { ceilToNano, sumUsd } from './money.ts';

test.each([
  [0.1 + 0.2, 0.300000001],
  [1e-12, 1e-9],
  [Number.MIN_VALUE, 1e-9],
  [0.1 + 0.7, 0.8],
  [1.1 + 2.2, 3.300000001],
  [4_000_000.123456789 + 2 ** -31, 4_000_000.12345679],
  [0, 0],
  ...[1e-9, 0.1, 0.3, 12.345678901, 4_194_305.123456789, 8_999_999.123456789, 9_000_000].map((usd) => [usd, usd]),
] as [number, number][])('%d is rounded up to %d', (usd, cap) => {
  expect(ceilToNano(usd)).toBe(cap);
  expect(ceilToNano(usd)).toBeGreaterThanOrEqual(usd);
  expect(ceilToNano(cap)).toBe(cap);
});

test('amounts have the same sum in any order and grouping', () => {
  const amounts = [0.1, 0.2, 0.3, 0.000_000_005, 0.743_63];
  expect(sumUsd(amounts)).toBe(1.343_630_005);
  expect(sumUsd(amounts.toReversed())).toBe(1.343_630_005);
  expect(sumUsd([sumUsd(amounts.slice(0, 2)), sumUsd(amounts.slice(2))])).toBe(1.343_630_005);
  expect(sumUsd([])).toBe(0);
});
