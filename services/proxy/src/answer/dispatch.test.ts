import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { Flow } from './dispatch.ts';

test('it resumes when all who paused it are ready, however often each paused it', () => {
  const done: string[] = [];
  const controller = { pause: () => done.push('pause'), resume: () => done.push('resume') };
  const flow = new Flow();
  const pause = (waiter: 'agent' | 'reader') =>
    flow.pause(controller as unknown as Dispatcher.DispatchController, waiter);
  const resume = (waiter: 'agent' | 'reader') =>
    flow.resume(controller as unknown as Dispatcher.DispatchController, waiter);
  // Pieces that were on their way when the first of them was too much.
  expect([pause('agent'), pause('agent'), pause('reader'), pause('reader')]).toEqual([true, false, true, false]);
  resume('agent');
  expect(done).toEqual(['pause', 'pause']);
  resume('reader');
  expect(done).toEqual(['pause', 'pause', 'resume']);
  expect(pause('agent')).toBe(true);
});
