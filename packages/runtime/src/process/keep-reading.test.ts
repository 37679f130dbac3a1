import { expect, test } from 'vitest';
import { keepReading } from './keep-trying.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a failed reading is repeated soon; a successful one is shown and repeated later', async () => {
  let tries = 0;
  const shown: number[] = [];
  const stop = keepReading({
    read: async () => {
      tries += 1;
      if (tries < 3) throw new Error('away');
      return tries;
    },
    show: (reading) => shown.push(reading),
    firstEveryMs: 5,
    everyMs: 200,
  });
  await sleep(120);
  expect(shown).toEqual([3]);
  await sleep(200);
  await stop();
  expect(shown).toEqual([3, 4]);
});

test('stopping waits for a running reading, and starts no other', async () => {
  let finish = () => {};
  let tries = 0;
  const shown: string[] = [];
  const stop = keepReading({
    read: () => {
      tries += 1;
      return new Promise<string>((resolve) => {
        finish = () => resolve('late');
      });
    },
    show: (reading) => shown.push(reading),
    everyMs: 1,
  });
  const stopped = stop();
  finish();
  await stopped;
  await sleep(20);
  expect({ tries, shown }).toEqual({ tries: 1, shown: ['late'] });
});
