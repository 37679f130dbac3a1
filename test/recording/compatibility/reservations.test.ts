/*
 * Proxies and writers of two versions share one Redis while one replaces the other. The scripts in 0.2.0 are those of that version, as they were
 * released.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connectRedis, createBudgetReservations, type Reservation } from '@agp/reservations';
import { startTestStack } from '@agp/testing';
import { beforeAll, expect, test } from 'vitest';
import { extendScript, purgeScript, releaseScript, reserveScript } from './0.2.0/budget-scripts.ts';

let redis: ReturnType<typeof connectRedis>;
beforeAll(async () => {
  const stack = await startTestStack({ redis: true });
  redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 5_000 });
  await once(redis, 'ready');
  return async () => {
    redis.disconnect();
    await stack[Symbol.asyncDispose]();
  };
});

const day = '2030-01-01';
const base = `agp:{budget}:${day}`;
const forwarded = { sessionId: 'ses_a', provider: 'openai', model: 'gpt-4o' };
const make = (nanoUsd: number): Reservation => ({ eventId: randomUUID(), agentId: randomUUID(), day, nanoUsd });

/** What a process of 0.2.0 does. */
const old = {
  reserve: ({ eventId, agentId, nanoUsd }: Reservation, leaseMs = 30_000) =>
    redis.eval(reserveScript, 1, base, eventId, agentId, nanoUsd, leaseMs, 0),
  confirm: ({ eventId, agentId, nanoUsd }: Reservation) =>
    redis.eval(extendScript, 1, base, 86_400_000, 0, eventId, agentId, nanoUsd),
  release: ({ eventId }: Reservation) => redis.eval(releaseScript, 1, base, eventId),
  purge: () => redis.eval(purgeScript, 1, base),
};

test('what a 0.2.0 proxy has reserved counts, is listed and is released', async () => {
  const budget = createBudgetReservations(redis);
  const [held, confirmed] = [make(5), make(7)];
  await old.reserve(held);
  await old.reserve(confirmed);
  await old.confirm(confirmed);
  expect(await budget.reserve(make(0), null)).toMatchObject({ globalEarlierNanoUsd: 12 });
  expect(await budget.list(day, held.agentId)).toMatchObject([{ eventId: held.eventId, nanoUsd: 5 }]);
  expect(await budget.listEnded(day, 10)).toEqual({ ended: [], isAll: true });
  await budget.release([held, confirmed]);
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(0);
});

test('a 0.2.0 process neither forgets what a proxy of today has forwarded, nor counts it otherwise', async () => {
  const budget = createBudgetReservations(redis, 1);
  const [killed, recorded] = [make(5), make(7)];
  await budget.forward([killed, recorded].map((one) => ({ ...one, forwarded })));
  await old.purge();
  expect(await old.reserve(make(0))).toMatchObject([1, expect.any(Number), 0, 12]);
  // Its writer leaves parts that no list shows.
  await old.release(recorded);
  expect((await budget.listEnded(day, 10)).ended).toMatchObject([{ eventId: killed.eventId, nanoUsd: 5, forwarded }]);
  expect(await redis.hkeys(`${base}:requests`)).toEqual([killed.eventId]);
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(5);
});
