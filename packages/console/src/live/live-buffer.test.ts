import { expect, test } from 'vitest';
import { LiveBuffer, RateMeter } from './live-buffer.ts';

const events = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => ({ id: `evt_${from + at}` }));
const ids = (buffer: LiveBuffer<{ id: string }>) => buffer.rows.map(({ id }) => id);

test('the newest is first, and an event that comes twice is shown once', () => {
  const buffer = new LiveBuffer();
  expect(buffer.add(events(0, 3))).toBe(3);
  expect(buffer.add(events(2, 4))).toBe(1);
  expect(ids(buffer)).toEqual(['evt_3', 'evt_2', 'evt_1', 'evt_0']);
});

test('while it is held nothing moves, and what comes is counted', () => {
  const buffer = new LiveBuffer();
  buffer.add(events(0, 2));
  buffer.hold();
  const before = buffer.rows;
  buffer.add(events(2, 5));
  expect(buffer.rows).toBe(before);
  expect(buffer.waitingCount).toBe(3);
  buffer.release();
  expect(buffer.waitingCount).toBe(0);
  expect(ids(buffer)).toEqual(['evt_4', 'evt_3', 'evt_2', 'evt_1', 'evt_0']);
});

test('a hundred thousand events take no more room than the bounds, held or not', () => {
  const buffer = new LiveBuffer<{ id: string }>({ capacity: 100, remembered: 500 });
  for (let at = 0; at < 50_000; at += 500) buffer.add(events(at, at + 500));
  expect(buffer.rows).toHaveLength(100);
  buffer.hold();
  for (let at = 50_000; at < 100_000; at += 500) buffer.add(events(at, at + 500));
  expect(buffer.waitingCount).toBe(50_000);
  buffer.release();
  expect(buffer.rows).toHaveLength(100);
  expect(buffer.rows[0]?.id).toBe('evt_99999');
  // Forgotten ids are new again: their room is bounded.
  expect(buffer.add([{ id: 'evt_0' }])).toBe(1);
});

test('rows stay the same array while nothing comes', () => {
  const buffer = new LiveBuffer();
  buffer.add(events(0, 1));
  const before = buffer.rows;
  buffer.add(events(0, 1));
  expect(buffer.rows).toBe(before);
});

test('counts the last minute alone', () => {
  const meter = new RateMeter();
  const start = 1_700_000_000_000;
  expect(meter.perMinute(start)).toBe(0);
  for (let second = 0; second < 120; second += 1) meter.add(5, start + second * 1_000);
  expect(meter.perMinute(start + 119_000)).toBe(300);
  expect(meter.perMinute(start + 149_000)).toBe(150);
  expect(meter.perMinute(start + 500_000)).toBe(0);
});
