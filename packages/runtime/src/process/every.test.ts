import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { every } from './keep-trying.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a turn begins only when none runs, and none after the end', async () => {
  let begun = 0;
  let finish = () => {};
  const stop = every(10, () => {
    begun += 1;
    return new Promise<void>((resolve) => (finish = resolve));
  });
  await vi.advanceTimersByTimeAsync(95);
  expect(begun).toBe(1);
  finish();
  await vi.advanceTimersByTimeAsync(95);
  expect(begun).toBe(2);
  finish();
  await stop();
  await vi.advanceTimersByTimeAsync(95);
  expect(begun).toBe(2);
});

test('a failure, also one that is thrown at once, is reported and does not end it', async () => {
  const failures: string[] = [];
  let turns = 0;
  const stop = every(
    10,
    () => {
      turns += 1;
      if (turns === 1) throw new Error('at once');
      return Promise.reject(new Error('later'));
    },
    ({ message }) => failures.push(message),
  );
  await vi.advanceTimersByTimeAsync(25);
  expect(failures).toEqual(['at once', 'later']);
  await stop();
});

test('the end tells the running turn, waits for it, and not for long', async () => {
  const ended: string[] = [];
  const stop = every(10, (ending) => new Promise<void>((resolve) => (ending.onabort = () => resolve())));
  const hung = every(10, () => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(15);
  void stop().then(() => ended.push('told'));
  void hung().then(() => ended.push('hung'));
  await vi.advanceTimersByTimeAsync(500);
  expect(ended).toEqual(['told']);
  await vi.advanceTimersByTimeAsync(600);
  expect(ended).toEqual(['told', 'hung']);
});
