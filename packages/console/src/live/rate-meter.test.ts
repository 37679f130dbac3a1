import { expect, test } from 'vitest';
import { RateMeter } from './rate-meter.ts';

test('counts the last minute alone', () => {
  const meter = new RateMeter();
  const start = 1_700_000_000_000;
  expect(meter.perMinute(start)).toBe(0);
  for (let second = 0; second < 120; second += 1) meter.add(5, start + second * 1_000);
  expect(meter.perMinute(start + 119_000)).toBe(300);
  expect(meter.perMinute(start + 149_000)).toBe(150);
  expect(meter.perMinute(start + 500_000)).toBe(0);
});
