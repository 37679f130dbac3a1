import { expect, test } from 'vitest';
import type { BusConnection } from './connect.ts';
import { ServerPatience } from './server-patience.ts';

function makePatience() {
  let now = 0;
  const left: number[] = [];
  const connection = { leaveServer: () => left.push(now) } as unknown as BusConnection;
  const patience = new ServerPatience(connection, () => now);
  const waitUntil = (end: number) => {
    for (; now <= end; now += 250) patience.wait();
  };
  return { patience, left, waitUntil };
}

test('a server that does nothing is left, and servers are tried more and more rarely while none works', () => {
  const { left, waitUntil } = makePatience();
  waitUntil(200_000);
  expect(left.map((at) => Math.round(at / 1_000))).toEqual([5, 15, 36, 76, 136, 196]);
});

test('one that works now and then is kept, and so is a new one for its time', () => {
  const { patience, left, waitUntil } = makePatience();
  for (const until of [4_000, 8_000, 12_000]) {
    waitUntil(until);
    patience.satisfy();
  }
  expect(left).toEqual([]);
  waitUntil(16_000);
  patience.restart();
  waitUntil(20_000);
  expect(left).toEqual([]);
  waitUntil(22_000);
  expect(left).toHaveLength(1);
});
