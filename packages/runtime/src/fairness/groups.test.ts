import { expect, test } from 'vitest';
import { makeGroups } from './groups.ts';

test('those of one turn go on four at a time, in their order', async () => {
  const join = makeGroups();
  const done: number[] = [];
  const goOn = async (number: number) => {
    await join();
    done.push(number);
  };
  const all = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(goOn);
  const seen: number[] = [];
  while (done.length < 9) {
    await Promise.resolve().then(() => {});
    if (done.length !== seen.at(-1)) seen.push(done.length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(join()).toBeUndefined();
});
