import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { startTestStack } from '@agp/local-stack/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBudgetReservations, type Reservation } from './budget-reservations.ts';
import { connectRedis } from './connect-redis.ts';

const opened = new AsyncDisposableStack();
let redis: ReturnType<typeof connectRedis>;
beforeAll(async () => {
  const stack = opened.use(await startTestStack({ redis: true }));
  redis = connectRedis({ url: stack.redisUrl });
  opened.defer(() => redis.disconnect());
  await new Promise((resolve) => redis.once('ready', resolve));
});
afterAll(() => opened.disposeAsync());

let nextDay = 0;
const newDay = () => new Date(Date.UTC(2030, 0, ++nextDay)).toISOString().slice(0, 10);
const make = (day: string, agentId: string, nanoUsd: number): Reservation => ({
  eventId: randomUUID(),
  agentId,
  day,
  nanoUsd,
});

test('each reservation is told what was reserved before it, by its agent and by all', async () => {
  const budget = createBudgetReservations(redis);
  const day = newDay();
  expect(await budget.reserve(make(day, 'a', 5), null)).toEqual({
    seq: 1,
    agentEarlierNanoUsd: 0,
    globalEarlierNanoUsd: 0,
  });
  expect(await budget.reserve(make(day, 'b', 7), null)).toMatchObject({
    agentEarlierNanoUsd: 0,
    globalEarlierNanoUsd: 5,
  });
  const large = 8_999_999_999_999_999;
  const held = make(day, 'a', large);
  expect(await budget.reserve(held, null)).toMatchObject({ agentEarlierNanoUsd: 5, globalEarlierNanoUsd: 12 });
  expect(await budget.readTotals(day)).toEqual({
    globalNanoUsd: large + 12,
    byAgent: new Map([
      ['a', large + 5],
      ['b', 7],
    ]),
  });
  expect((await budget.list(day, 'a')).find(({ seq }) => seq === 3)).toEqual({ ...held, day: undefined, seq: 3 });
  expect(await budget.list(day, null)).toHaveLength(3);
});

test('a release counts once, whoever repeats it, and leaves other days alone', async () => {
  const budget = createBudgetReservations(redis);
  const [day, other] = [newDay(), newDay()];
  const [first, second] = [make(day, 'a', 5), make(day, 'a', 0)];
  await Promise.all([
    budget.reserve(first, null),
    budget.reserve(second, null),
    budget.reserve(make(other, 'a', 9), null),
  ]);
  await Promise.all([budget.release([first, second]), budget.release([first]), budget.release([second, first])]);
  expect(await budget.readTotals(day)).toEqual({ globalNanoUsd: 0, byAgent: new Map([['a', 0]]) });
  expect((await budget.readTotals(other)).globalNanoUsd).toBe(9);
});

test('a lease that nobody renews ends; a confirmed one stays, and what was released is not brought back by it', async () => {
  const budget = createBudgetReservations(redis, 300);
  const day = newDay();
  const [forgotten, renewed, confirmed, released] = [1, 20, 300, 4_000].map((nano) => make(day, 'a', nano)) as [
    Reservation,
    Reservation,
    Reservation,
    Reservation,
  ];
  for (const one of [forgotten, renewed, confirmed, released]) await budget.reserve(one, null);
  await budget.release([released]);
  await budget.confirm([confirmed, released]);
  for (let round = 0; round < 4; round += 1) {
    await setTimeout(150);
    await budget.renew([renewed]);
  }
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(320);
});

test('all that has outlived its lease is dropped at once, however much it is, and the rest stays', async () => {
  const brief = createBudgetReservations(redis, 1);
  const budget = createBudgetReservations(redis);
  const day = newDay();
  for (let round = 0; round < 5; round += 1) {
    await brief.renew(Array.from({ length: 500 }, () => make(day, 'a', 2)));
  }
  await budget.reserve(make(day, 'a', 7), null);
  await setTimeout(10);
  await budget.purge(day);
  expect(await budget.list(day, null)).toMatchObject([{ nanoUsd: 7 }]);
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(7);
});

test('what Redis has lost is put back by those who hold it', async () => {
  const budget = createBudgetReservations(redis);
  const day = newDay();
  const held = make(day, 'a', 11);
  await budget.reserve(held, null);
  await redis.flushall();
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(0);
  await Promise.all([budget.renew([held]), budget.renew([held])]);
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(11);
});

test('two hundred at once are counted one after the other', async () => {
  const budget = createBudgetReservations(redis);
  const day = newDay();
  const answers = await Promise.all(Array.from({ length: 200 }, () => budget.reserve(make(day, 'a', 3), null)));
  const earlier = answers.map((answer) => ('seq' in answer ? answer.agentEarlierNanoUsd : -1)).sort((a, b) => a - b);
  expect(earlier).toEqual(Array.from({ length: 200 }, (_, index) => index * 3));
});

test('requests of a minute are counted across all that ask, and what is over the limit reserves nothing', async () => {
  const budget = createBudgetReservations(redis);
  const day = newDay();
  const agent = randomUUID();
  // Not across the end of a minute.
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 2_000) await setTimeout(left + 50);
  const answers = await Promise.all(Array.from({ length: 25 }, () => budget.reserve(make(day, agent, 1), 10)));
  expect(answers.filter((answer) => 'seq' in answer)).toHaveLength(10);
  for (const answer of answers) if (!('seq' in answer)) expect(answer.resetSeconds).toBeGreaterThan(0);
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(10);
});
