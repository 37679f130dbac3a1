import { expect, test } from 'vitest';
import { fitLine } from './statistics.ts';

test('a line is fitted with its error', () => {
  const points = [0, 1, 2, 3, 4].map((x) => [x, 10 + 2 * x] as const);
  expect(fitLine(points)).toEqual({ slope: 2, error: 0, mean: 14 });
  // By hand: residuals ±1 around a flat line through 5, spread of x 5, error sqrt(4 / 2 / 5).
  const noisy = fitLine([
    [0, 6],
    [1, 4],
    [2, 4],
    [3, 6],
  ]);
  expect(noisy.slope).toBeCloseTo(0);
  expect(noisy.error).toBeCloseTo(Math.sqrt(4 / 2 / 5));
});
