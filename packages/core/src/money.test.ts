import { expect, test } from 'vitest';
import { ceilToNano } from './money.ts';

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
