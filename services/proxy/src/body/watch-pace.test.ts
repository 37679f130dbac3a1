import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchPace } from './watch-pace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const bounds = { maxBodySeconds: 100, minBodyBytesPerSecond: 1_000 };

/** @param bytesPerSecond what the agent sends in each second; null while the provider takes nothing */
function send(bytesPerSecond: (second: number) => number | null, seconds: number): number | null {
  let now = 0;
  let isPaused = false;
  let slowAt: number | null = null;
  const request = { isPaused: () => isPaused } as IncomingMessage;
  const pace = watchPace(request, bounds, () => {
    slowAt = now;
  });
  for (now = 1; now <= seconds; now += 1) {
    const sent = bytesPerSecond(now);
    isPaused = sent === null;
    pace.count(sent ?? 0);
    vi.advanceTimersByTime(1_000);
  }
  pace.stop();
  return slowAt;
}

test('a byte now and then is too slow after half a minute, whatever came before', () => {
  expect(send(() => 1, 60)).toBe(30);
  expect(send((second) => (second < 20 ? 1_000_000 : 1), 99)).toBe(60);
});

test('a body that keeps its pace has its time, and no more', () => {
  expect(send(() => 1_001, 99)).toBeNull();
  expect(send(() => 1_000_000, 300)).toBe(100);
});

test('a silence shorter than half a minute is no fault', () => {
  expect(send((second) => (second % 30 === 0 ? 30_000 : 0), 99)).toBeNull();
});

test('the time in which the provider takes nothing is not the agent’s', () => {
  expect(send((second) => (second % 10 === 0 ? 1_000 : null), 900)).toBeNull();
});
