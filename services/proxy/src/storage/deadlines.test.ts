import { TimeoutError } from '@agp/runtime';
import { expect, test, vi } from 'vitest';
import { Deadlines } from './storage.ts';

test('work that is not done in time is given up, and other work goes on', async () => {
  const deadlines = new Deadlines();
  const never = Promise.withResolvers<never>();
  const slow = Promise.withResolvers<string>();
  const late = deadlines.wait(never.promise, performance.now() - 1);
  const inTime = deadlines.wait(slow.promise, performance.now() + 60_000);
  await expect(late).rejects.toThrow(TimeoutError);
  slow.resolve('done');
  expect(await inTime).toBe('done');
  await expect(deadlines.wait(Promise.reject(new Error('broken')), performance.now() + 60_000)).rejects.toThrow(
    'broken',
  );
});

test('an answer that came while the process stalled still counts', async () => {
  const deadlines = new Deadlines();
  const work = deadlines.wait(new Promise((resolve) => setTimeout(resolve, 1, 'done')), performance.now() + 1);
  for (const end = performance.now() + 60; performance.now() < end; );
  expect(await work).toBe('done');
});

test.each([
  ['was answered', Promise.resolve(), 60_000],
  ['was given up', new Promise(() => {}), -1],
])('no timer is left once all that waited %s', async (_, work, ms) => {
  const [set, clear] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')];
  await new Deadlines().wait(work, performance.now() + ms).catch(() => {});
  const timer = set.mock.results[0]?.value;
  await vi.waitFor(() => expect(clear).toHaveBeenCalledWith(timer), 60_000);
  vi.restoreAllMocks();
});
