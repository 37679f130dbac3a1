import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Lane } from './lane.ts';

test('a full batch is due at once, in order, and items beyond it wait for the next', async () => {
  const lane = new Lane<number>();
  for (let item = 0; item < 250; item += 1) lane.add(item);
  const started = performance.now();
  expect(await lane.next()).toEqual(Array.from({ length: 100 }, (_, index) => index));
  expect(await lane.next()).toHaveLength(100);
  expect(performance.now() - started).toBeLessThan(90);
  expect(await lane.next()).toEqual(Array.from({ length: 50 }, (_, index) => 200 + index));
});

test('a batch that does not fill is due when its oldest has waited 100 ms, and not before', async () => {
  const lane = new Lane<string>();
  const next = lane.next();
  await setTimeout(20);
  const started = performance.now();
  lane.add('a');
  await setTimeout(60);
  lane.add('b');
  expect(await next).toEqual(['a', 'b']);
  expect(performance.now() - started).toBeGreaterThanOrEqual(95);
});

test('filling up ends the wait', async () => {
  const lane = new Lane<number>();
  const next = lane.next();
  for (let item = 0; item < 99; item += 1) lane.add(item);
  await setTimeout(10);
  const started = performance.now();
  lane.add(99);
  expect(await next).toHaveLength(100);
  expect(performance.now() - started).toBeLessThan(80);
});

test('a closed lane hands over what waits, and then nothing', async () => {
  const lane = new Lane<string>();
  lane.add('a');
  lane.close();
  expect(await lane.next()).toEqual(['a']);
  expect(await lane.next()).toBeNull();
  const waiting = new Lane<string>();
  const next = waiting.next();
  waiting.close();
  expect(await next).toBeNull();
});
