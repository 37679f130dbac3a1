import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChangesFirst } from './changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An answer that ends when it is closed. */
const makeAnswer = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as Response;

function read(changes: ChangesFirst) {
  const state = { began: false };
  void changes.calm().then(() => {
    state.began = true;
  });
  return state;
}

test('a read begins at once without a change, and with changes when the last of them has its answer', async () => {
  const changes = new ChangesFirst();
  const free = read(changes);
  await vi.advanceTimersByTimeAsync(0);
  expect(free.began).toBe(true);
  const [one, other] = [makeAnswer(), makeAnswer()];
  changes.begin(one);
  changes.begin(other);
  const held = read(changes);
  one.emit('close');
  await vi.advanceTimersByTimeAsync(10);
  expect(held.began).toBe(false);
  other.emit('close');
  await vi.advanceTimersByTimeAsync(0);
  expect(held.began).toBe(true);
});

test('a change that is already answered or cut off holds nothing', async () => {
  const changes = new ChangesFirst();
  changes.begin(Object.assign(makeAnswer(), { closed: true }));
  const free = read(changes);
  await vi.advanceTimersByTimeAsync(0);
  expect(free.began).toBe(true);
});

test.each([
  ['one that hangs', 0],
  ['a flood of short ones', 10],
])('changes take no more than half of the time from reads: %s', async (_name, endsAfterMs) => {
  const changes = new ChangesFirst();
  let heldMs = 0;
  for (let ms = 0; ms < 4_000; ms += 5) {
    if (ms % 20 === 0) {
      const change = makeAnswer();
      changes.begin(change);
      if (endsAfterMs > 0) setTimeout(() => change.emit('close'), endsAfterMs + 15);
    }
    const { began } = await (async () => {
      const state = read(changes);
      await vi.advanceTimersByTimeAsync(0);
      return state;
    })();
    if (!began) heldMs += 5;
    await vi.advanceTimersByTimeAsync(5);
  }
  expect(heldMs).toBeGreaterThan(1_500);
  expect(heldMs).toBeLessThanOrEqual(2_100);
});
