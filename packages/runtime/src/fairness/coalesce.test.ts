import { expect, test } from 'vitest';
import { coalesce } from './coalesce.ts';

function controlledLoad() {
  const calls: { keys: number[]; finish: () => void; fail: () => void }[] = [];
  const load = (keys: number[]) =>
    new Promise<Map<number, string>>((resolve, reject) => {
      calls.push({
        keys,
        finish: () => resolve(new Map(keys.map((key) => [key, `value ${key}`]))),
        fail: () => reject(new Error('storage is away')),
      });
    });
  return { calls, load };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('requests that arrive together share one query', async () => {
  const { calls, load } = controlledLoad();
  const read = coalesce(load);
  const results = [read(1), read(2), read(1)];
  await turn();
  expect(calls.map((call) => call.keys)).toEqual([[1, 2]]);
  calls[0]?.finish();
  expect(await Promise.all(results)).toEqual(['value 1', 'value 2', 'value 1']);
});

test('a request never gets the answer of a query that began before it', async () => {
  const { calls, load } = controlledLoad();
  const read = coalesce(load);
  const early = read(1);
  await turn();
  const late = read(1);
  await turn();
  calls[0]?.finish();
  await early;
  await turn();
  expect(calls.map((call) => call.keys)).toEqual([[1], [1]]);
  calls[1]?.finish();
  expect([await early, await late]).toEqual(['value 1', 'value 1']);
});

test('one query runs at a time; waiting requests share the next one', async () => {
  const { calls, load } = controlledLoad();
  const read = coalesce(load);
  const first = read(1);
  await turn();
  const waiting = [read(2), read(3)];
  await turn();
  expect(calls).toHaveLength(1);
  calls[0]?.finish();
  await first;
  await turn();
  expect(calls[1]?.keys).toEqual([2, 3]);
  calls[1]?.finish();
  await Promise.all(waiting);
});

test('a failure reaches those who asked, and the next request asks anew', async () => {
  const { calls, load } = controlledLoad();
  const read = coalesce(load);
  const failing = [read(1), read(2)].map((result) => result.catch((error: Error) => error.message));
  await turn();
  calls[0]?.fail();
  expect(await Promise.all(failing)).toEqual(['storage is away', 'storage is away']);
  const next = read(1);
  await turn();
  calls[1]?.finish();
  expect(await next).toBe('value 1');
});

test('a flood of keys is taken in queries of a bounded size, one after the other', async () => {
  const sizes: number[] = [];
  const load = coalesce(
    async (keys: number[]) => {
      sizes.push(keys.length);
      return new Map(keys.map((key) => [key, -key]));
    },
    { maxAsks: 1_000 },
  );
  const answers = await Promise.all(Array.from({ length: 2_500 }, (_, key) => load(key)));
  expect(answers.at(-1)).toBe(-2_499);
  expect(sizes).toEqual([1_000, 1_000, 500]);
});
