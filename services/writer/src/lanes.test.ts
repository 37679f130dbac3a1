import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Batch, Lanes } from './lanes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

/** The items of the next batch once so many milliseconds have passed; undefined if it is not due yet. */
async function itemsAfter<Item>(ms: number, next: Promise<Batch<Item> | null>): Promise<Item[] | null | undefined> {
  await vi.advanceTimersByTimeAsync(ms);
  const batch = await Promise.race([next, Promise.resolve(undefined)]);
  return batch === undefined || batch === null ? batch : batch.items;
}

test('a full batch is due at once, in order, and items beyond it wait for the next', async () => {
  const lanes = new Lanes<number>(1);
  for (const item of upTo(250)) lanes.add(0, item);
  for (const from of [0, 100]) {
    const batch = await lanes.next();
    expect(batch?.items).toEqual(upTo(100, from));
    batch?.release();
  }
  const rest = lanes.next();
  expect(await itemsAfter(99, rest)).toBeUndefined();
  expect(await itemsAfter(1, rest)).toEqual(upTo(50, 200));
});

test('a batch that does not fill is due when its oldest has waited 100 ms, and not before', async () => {
  const lanes = new Lanes<string>(2);
  const next = lanes.next();
  await vi.advanceTimersByTimeAsync(20);
  lanes.add(0, 'a');
  await vi.advanceTimersByTimeAsync(60);
  lanes.add(1, 'b');
  expect(await itemsAfter(39, next)).toBeUndefined();
  expect(await itemsAfter(1, next)).toEqual(['a', 'b']);
});

test('filling up ends the wait, in one lane or over all', async () => {
  for (const count of [1, 3]) {
    const lanes = new Lanes<number>(count);
    const next = lanes.next();
    for (const item of upTo(99)) lanes.add(item % count, item);
    expect(await itemsAfter(10, next)).toBeUndefined();
    lanes.add(0, 99);
    expect(await itemsAfter(0, next)).toHaveLength(100);
  }
});

test('where much waits each lane fills a batch of its own, and all are out at once', async () => {
  const lanes = new Lanes<string>(3);
  for (const item of upTo(100)) for (const lane of [0, 1, 2]) lanes.add(lane, `${lane} ${item}`);
  for (const lane of [0, 1, 2]) expect((await lanes.next())?.items).toEqual(upTo(100).map((item) => `${lane} ${item}`));
});

test('what comes into a lane that is out waits for it; free lanes do not', async () => {
  const lanes = new Lanes<string>(2);
  lanes.add(0, 'a');
  await vi.advanceTimersByTimeAsync(100);
  const out = await lanes.next();
  lanes.add(0, 'b');
  await vi.advanceTimersByTimeAsync(100);
  lanes.add(1, 'c');
  const next = lanes.next();
  expect(await itemsAfter(100, next)).toEqual(['c']);
  const last = lanes.next();
  out?.release();
  expect(await itemsAfter(0, last)).toEqual(['b']);
});

test('closed lanes hand over all that waits, what is behind a batch too, and then nothing', async () => {
  const lanes = new Lanes<string>(2);
  lanes.add(0, 'a');
  lanes.close();
  const out = await lanes.next();
  expect(out?.items).toEqual(['a']);
  lanes.add(0, 'behind it');
  const behind = lanes.next();
  expect(await itemsAfter(1_000, behind)).toBeUndefined();
  out?.release();
  expect((await behind)?.items).toEqual(['behind it']);
  expect(await lanes.next()).toBeNull();
  const waiting = new Lanes<string>(2);
  const next = waiting.next();
  waiting.close();
  expect(await next).toBeNull();
});

test('what is cleared comes no more', async () => {
  const lanes = new Lanes<string>(1);
  lanes.add(0, 'a');
  lanes.close();
  await lanes.next();
  lanes.add(0, 'behind it');
  const next = lanes.next();
  lanes.clear();
  expect(await next).toBeNull();
});

test('whatever comes and goes, each item is handed over once, in the order of its lane, of which one batch is out', async () => {
  const move = fc.oneof(
    { weight: 5, arbitrary: fc.record({ add: fc.nat(3), count: fc.integer({ min: 1, max: 120 }) }) },
    { weight: 3, arbitrary: fc.record({ release: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 150 }) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 60 }), async (moves) => {
      const lanes = new Lanes<{ lane: number; place: number }>(4);
      const added = [0, 0, 0, 0];
      const given = [0, 0, 0, 0];
      const out: Batch<{ lane: number; place: number }>[] = [];
      const taking = (async () => {
        for (let batch = await lanes.next(); batch !== null; batch = await lanes.next()) {
          expect(batch.items.length).toBeGreaterThan(0);
          expect(batch.items.length).toBeLessThanOrEqual(100);
          for (const { lane, place } of batch.items) {
            expect(place).toBe(given[lane]);
            given[lane] = place + 1;
            expect(out.every(({ items }) => items.every((other) => other.lane !== lane))).toBe(true);
          }
          out.push(batch);
        }
      })();
      for (const each of moves) {
        if ('add' in each)
          for (const _ of upTo(each.count))
            lanes.add(each.add, { lane: each.add, place: (added[each.add] as number)++ });
        else if ('wait' in each) await vi.advanceTimersByTimeAsync(each.wait);
        else for (const batch of out.splice(each.release, 1)) batch.release();
        await vi.advanceTimersByTimeAsync(0);
      }
      // Nothing waits longer than its turn: with all lanes free again and again, all of it comes.
      while (given.some((count, lane) => count !== added[lane])) {
        for (const batch of out.splice(0)) batch.release();
        await vi.advanceTimersByTimeAsync(100);
      }
      lanes.close();
      await taking;
    }),
    { numRuns: 100 },
  );
});
