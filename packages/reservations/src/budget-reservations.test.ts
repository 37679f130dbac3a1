import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { eventually, startTestStack } from '@agp/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createBudgetReservations, type Reservation } from './budget-reservations.ts';
import { connectRedis } from './connect-redis.ts';

const opened = new AsyncDisposableStack();
let redis: ReturnType<typeof connectRedis>;
beforeAll(async () => {
  const stack = opened.use(await startTestStack({ redis: true }));
  // A busy machine is no failure here.
  redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 5_000 });
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

test('each reservation returns the amounts reserved before it, by its agent and by all', async () => {
  const budget = createBudgetReservations(redis);
  const day = newDay();
  expect(await budget.reserve(make(day, 'a', 5), null)).toEqual({
    seq: 1,
    earlier: [0, 0],
    wholeForMs: expect.any(Number),
  });
  expect(await budget.reserve(make(day, 'b', 7), null)).toMatchObject({ earlier: [0, 5] });
  const large = 8_999_999_999_999_999;
  const held = make(day, 'a', large);
  expect(await budget.reserve(held, null)).toMatchObject({ earlier: [5, 12] });
  expect(await budget.readTotals(day)).toEqual({
    globalNanoUsd: large + 12,
    byAgent: new Map([
      ['a', large + 5],
      ['b', 7],
    ]),
  });
  expect((await budget.list(day, 'a')).find(({ seq }) => seq === 3)).toEqual({ ...held, seq: 3, charges: null });
  expect(await budget.list(day, null)).toHaveLength(3);
});

test('a repeated release counts once, and leaves other days alone', async () => {
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

test('a lease that is not renewed ends; a confirmed reservation stays, and a confirmation does not bring back a released one', async () => {
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

const request = { sessionId: 'ses_a', provider: 'openai', model: 'org|a model: |' };

test("a forwarded request's reservation outlives its lease until it is released, and is listed with its details", async () => {
  const brief = createBudgetReservations(redis, 1);
  const budget = createBudgetReservations(redis);
  const day = newDay();
  const [capped, uncapped, free, running, placed, confirmed] = [5, 7, 0, 100, 1_000, 10_000].map((nano) =>
    make(day, 'a', nano),
  ) as [Reservation, Reservation, Reservation, Reservation, Reservation, Reservation];
  await brief.reserve(capped, null);
  await brief.reserve(placed, null);
  await brief.forward([capped, uncapped, free].map((one) => ({ ...one, forwarded: request })));
  await budget.forward([{ ...running, forwarded: { ...request, model: null } }]);
  // JetStream had its event, and what it had is lost: nothing else would name it.
  await budget.forward([{ ...confirmed, forwarded: request }]);
  await budget.confirm([{ ...confirmed, forwarded: request }]);
  await setTimeout(10);
  await Promise.all([budget.purge(day), brief.reserve(make(day, 'b', 0), null)]);
  // Leases of a millisecond must be over before the sums are read.
  await setTimeout(10);

  expect((await budget.readTotals(day)).globalNanoUsd).toBe(10_112);
  const { ended, isAll } = await budget.listEnded(day, 10);
  const toEnded = ({ eventId, nanoUsd }: Reservation) => ({
    eventId,
    agentId: 'a',
    nanoUsd,
    charges: null,
    forwarded: request,
  });
  expect(new Set(ended)).toEqual(new Set([capped, uncapped, free].map(toEnded)));
  expect(isAll).toBe(true);
  expect(await budget.listEnded(day, 2)).toMatchObject({ ended: { length: 2 }, isAll: false });
  await redis.zadd(`agp:{budget}:${day}:forwarded`, 'XX', 1, running.eventId);
  await budget.release([capped, uncapped, free]);
  expect((await budget.listEnded(day, 10)).ended).toEqual([
    { ...toEnded(running), forwarded: { ...request, model: null } },
  ]);
  // Its proxy only stood still.
  await budget.renew([{ ...running, forwarded: request }]);
  expect((await budget.listEnded(day, 10)).ended).toEqual([]);
  await budget.release([running, confirmed]);
  expect(await redis.keys(`agp:{budget}:${day}:[frh]*`)).toEqual([]);
});

test('broken entries stop neither a release nor a list', async () => {
  const budget = createBudgetReservations(redis, 1);
  const day = newDay();
  const held = make(day, 'a', 3);
  await budget.forward([{ ...held, forwarded: request }]);
  const base = `agp:{budget}:${day}`;
  await redis.zadd(`${base}:forwarded`, 1, 'gone', 1, 'garbage');
  await redis.hset(`${base}:requests`, 'gone', 'x', 'garbage', 'x');
  await redis.hset(`${base}:held`, 'garbage', 'no|amount');
  await setTimeout(10);
  const { ended } = await budget.listEnded(day, 10);
  expect(new Map(ended.map(({ eventId, forwarded }) => [eventId, forwarded]))).toEqual(
    new Map([
      ['garbage', null],
      [held.eventId, request],
    ]),
  );
  await budget.release(ended.map(({ eventId }) => ({ eventId, day })));
  expect((await budget.listEnded(day, 10)).ended).toEqual([]);
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(0);
});

test('that requests are forwarded is on its way before their sender does anything else', async () => {
  const budget = createBudgetReservations(redis);
  const day = newDay();
  // Reservations gather until the end of the turn, and until the previous batch is answered.
  const gathered = budget.list(day, null);
  const held = make(day, 'a', 3);
  const sent = (redis as unknown as { stream: { bytesWritten: number } }).stream;
  const before = sent.bytesWritten;
  const forwarding = budget.forward([{ ...held, forwarded: request }]);
  expect(sent.bytesWritten).toBeGreaterThan(before);
  await Promise.all([gathered, forwarding]);
});

test('an amended reservation keeps its number and counts at its new amount, however it is told, and none that is released comes back', async () => {
  const budget = createBudgetReservations(redis);
  const day = newDay();
  const [raised, lowered, released] = [5, 70, 900].map((nano) => ({ ...make(day, 'a', nano), forwarded: request }));
  if (!raised || !lowered || !released) throw new Error('three were made');
  for (const one of [raised, lowered, released]) await budget.reserve(one, null);
  await budget.forward([raised, lowered, released]);
  await budget.release([released]);
  await budget.amend([{ ...raised, nanoUsd: 8_000 }, released]);
  expect(await budget.reserve(make(day, 'b', 0), null)).toMatchObject({ earlier: [0, 8_070] });
  await budget.confirm([{ ...lowered, nanoUsd: 0 }]);
  await budget.renew([{ ...raised, nanoUsd: 6_000 }]);
  expect(await budget.list(day, 'a')).toMatchObject([
    { eventId: raised.eventId, nanoUsd: 6_000, seq: 1 },
    { eventId: lowered.eventId, nanoUsd: 0, seq: 2 },
  ]);
  await budget.release([raised, lowered]);
  expect(await budget.readTotals(day)).toMatchObject({ globalNanoUsd: 0 });
});

test('reservations that Redis lost are put back by their processes', async () => {
  const budget = createBudgetReservations(redis);
  const day = newDay();
  const held = make(day, 'a', 11);
  const going = { ...make(day, 'a', 100), forwarded: request };
  await Promise.all([budget.reserve(held, null), budget.forward([going])]);
  await redis.flushall();
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(0);
  await Promise.all([budget.renew([held, going]), budget.renew([going, held])]);
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(111);
  await redis.zadd(`agp:{budget}:${day}:forwarded`, 1, going.eventId);
  expect((await budget.listEnded(day, 10)).ended).toMatchObject([{ eventId: going.eventId, forwarded: request }]);
});

test('two hundred at once are counted one after the other', async () => {
  const budget = createBudgetReservations(redis);
  const day = newDay();
  const answers = await Promise.all(Array.from({ length: 200 }, () => budget.reserve(make(day, 'a', 3), null)));
  const earlier = answers.map((answer) => ('seq' in answer ? (answer.earlier[0] as number) : -1)).sort((a, b) => a - b);
  expect(earlier).toEqual(Array.from({ length: 200 }, (_, index) => index * 3));
});

test('requests of a minute are counted across processes, and those over the limit reserve nothing', async () => {
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

test('a reservation that a lost connection left unanswered is made by the next one, and none waits for a Redis that is gone', async () => {
  await using stack = await startTestStack({ redis: true });
  const client = connectRedis({ url: stack.urls.proxy.redisUrl, commandTimeoutMs: 60_000 });
  onTestFinished(() => client.disconnect());
  await new Promise((resolve) => client.once('ready', resolve));
  const reservations = createBudgetReservations(client);
  const day = '2030-01-02';
  const reserve = () => reservations.reserve({ eventId: randomUUID(), agentId: randomUUID(), day, nanoUsd: 1 }, null);
  await reserve();
  client.stream.destroy();
  await Promise.all([reserve(), reserve(), reservations.look(), reservations.list(day, null)]);
  expect(await reservations.list(day, null)).toHaveLength(3);
  await stack.redis.stop();
  await eventually(() => expect(client.status).not.toBe('ready'));
  await expect(reserve()).rejects.toThrow();
});
