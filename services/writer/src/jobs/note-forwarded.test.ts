import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { toPublicId } from '@agp/core/ids';
import { type Database, type ForwardedSpend, keepForwarded, listUnrecorded, openDatabase, recordEvents } from '@agp/db';
import { type BudgetReservations, connectRedis, createBudgetReservations } from '@agp/reservations';
import { createLogger } from '@agp/runtime';
import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, expect, test } from 'vitest';
import { WriterMetrics } from '../metrics.ts';
import { keepSweeping, noteForwarded } from './sweep-reservations.ts';

const day = '2026-03-01';
let admin: Database;
/** Each as its service's user. */
let proxy: Database;
let writer: Database;
let ofProxy: BudgetReservations;
let ofWriter: BudgetReservations;
let disconnectWriter: () => void;

beforeAll(async () => {
  const stack = await startTestStack({ redis: true });
  const open = (url: string) => openDatabase({ url, applicationName: 'forwarded-test', pipeline: true });
  admin = open(stack.databaseUrl);
  proxy = open(stack.urls.proxy.databaseUrl);
  writer = open(stack.urls.writer.databaseUrl);
  const connect = async (url: string) => {
    const redis = connectRedis({ url, commandTimeoutMs: 5_000 });
    await once(redis, 'ready');
    return redis;
  };
  const redis = await Promise.all([stack.urls.proxy.redisUrl, stack.urls.writer.redisUrl].map(connect));
  [ofProxy, ofWriter] = redis.map((each) => createBudgetReservations(each)) as [BudgetReservations, BudgetReservations];
  disconnectWriter = () => redis[1]?.disconnect();
  return async () => {
    for (const each of redis) each.disconnect();
    await Promise.all([admin, proxy, writer].map((each) => each.close()));
    await stack[Symbol.asyncDispose]();
  };
});

/** A request that was forwarded while Redis was away. */
async function keep(costNanoUsd: number, over: Partial<ForwardedSpend> = {}): Promise<ForwardedSpend> {
  const request = { sessionId: 'ses_kept', provider: 'openai', model: 'gpt-4o' };
  const spend = { eventId: randomUUIDv7(), agentId: randomUUIDv7(), day, costNanoUsd, request, ...over };
  await keepForwarded(proxy.pool, [spend]);
  return spend;
}

async function note(silentMs?: number): Promise<string[]> {
  const noted: string[] = [];
  await noteForwarded(
    ofWriter,
    writer.pool,
    async () => 0,
    (ids) => noted.push(...ids),
    silentMs,
  );
  return noted;
}

const readKept = async () =>
  (await admin.pool.query('SELECT event_id FROM forwarded_requests')).rows.map((row) => row.event_id);
const record = ({ eventId, agentId }: ForwardedSpend) =>
  recordEvents(writer.pool, [
    makeEvent({
      id: toPublicId('evt', eventId),
      agent_id: toPublicId('agt', agentId),
      timestamp: `${day}T12:00:00.000Z`,
    }),
  ]);

test('of requests kept in Postgres those are noted whose proxy went silent: not recorded ones, and not those that Redis has again', async () => {
  const [lost, free, recorded, restored] = [
    await keep(70),
    await keep(0, { request: null }),
    await keep(5),
    await keep(6),
  ];
  await record(recorded);
  const { eventId, agentId, costNanoUsd: nanoUsd } = restored;
  await ofProxy.renew([{ eventId, agentId, day, nanoUsd, forwarded: { sessionId: 's', provider: 'p', model: null } }]);
  expect(await note()).toEqual([]);
  expect(await readKept()).toHaveLength(4);
  await new Promise((resolve) => setTimeout(resolve, 10));
  const rounds = await Promise.all([note(5), note(5)]);
  expect(rounds.flat().toSorted()).toEqual([lost.eventId, free.eventId].toSorted());
  expect(await readKept()).toEqual([]);
  const rows = await listUnrecorded(admin.db, {}, { limit: 10, offset: 0 });
  expect(rows).toMatchObject([
    { event_id: free.eventId, cost_usd: 0, session_id: null, reason: 'ended_without_record' },
    { event_id: lost.eventId, agent_id: lost.agentId, cost_usd: 70e-9, session_id: 'ses_kept', model: 'gpt-4o' },
  ]);
  // Its proxy only stood still, and sends its event after all.
  await record(lost);
  await keepForwarded(proxy.pool, [lost]);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await note(5)).toEqual([]);
  expect(await listUnrecorded(admin.db, {}, { limit: 10, offset: 0 })).toHaveLength(1);
});

test('nothing is noted in the first round after Postgres was away: writers first record what they hold', async () => {
  const order: string[] = [];
  let isAway = true;
  const pool = new Proxy(writer.pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target);
      return async (...given: Parameters<typeof target.query>) => {
        if (isAway) throw new Error('Postgres is away');
        if (given[0] === 'SELECT') order.push('only asked');
        return target.query(...given);
      };
    },
  });
  await keep(7);
  const stop = keepSweeping({
    reservations: ofWriter,
    pool,
    metrics: new WriterMetrics(() => 0),
    logger: createLogger('writer', 'silent'),
    onFailure: () => order.push('failed'),
    readUnreadMs: async () => {
      order.push('settling');
      return 0;
    },
    everyMs: 50,
    silentMs: 5,
  });
  await expect.poll(() => order.filter((step) => step === 'failed').length).toBeGreaterThan(3);
  order.length = 0;
  isAway = false;
  await expect.poll(readKept).toEqual([]);
  await stop();
  expect(order.filter((step) => step !== 'failed').slice(0, 2)).toEqual(['only asked', 'settling']);
});

test('nothing is noted where the look itself took long: Postgres may have hung for proxies, too', async () => {
  await keep(8);
  const noted: string[] = [];
  const hang = () => new Promise<number>((resolve) => setTimeout(resolve, 5_100, 0));
  const looking = noteForwarded(ofWriter, writer.pool, hang, (ids) => noted.push(...ids), 5);
  await expect(looking).rejects.toThrow('Postgres hung');
  expect(noted).toEqual([]);
  expect(await note(5)).toHaveLength(1);
});

test('they are noted while Redis is away for writers too, more than one page of them', async () => {
  disconnectWriter();
  const kept = await Promise.all(Array.from({ length: 1_201 }, (_, index) => keep(index)));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect((await note(5)).toSorted()).toEqual(kept.map(({ eventId }) => eventId).toSorted());
  expect(await readKept()).toEqual([]);
});
