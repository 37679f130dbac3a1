import { expect, onTestFinished, test, vi } from 'vitest';
import { logSparsely } from './logger.ts';

test('repeated calls are logged once an interval, with the number of those held back', () => {
  let now = 0;
  const lines: [string, number][] = [];
  const log = logSparsely(
    (detail: string, heldBack) => lines.push([detail, heldBack]),
    1_000,
    () => now,
  );
  for (const detail of ['a', 'b', 'c']) log(detail);
  now = 999;
  log('d');
  now = 1_000;
  log('e');
  now = 2_000;
  log('f');
  expect(lines).toEqual([
    ['a', 0],
    ['e', 3],
    ['f', 0],
  ]);
});

test('a clock that is set back keeps nothing from being logged', async () => {
  const logged: string[] = [];
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const log = logSparsely((text: string) => void logged.push(text), 20);
  log('before');
  vi.setSystemTime(Date.now() - 3_600_000);
  await new Promise((resolve) => setTimeout(resolve, 40));
  log('after');
  expect(logged).toEqual(['before', 'after']);
});
