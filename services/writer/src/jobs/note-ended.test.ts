import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { toPublicId } from '@agp/core/ids';
import { type Database, listUnrecorded, openDatabase, readSpendWithRecorded, recordEvents } from '@agp/db';
import {
  type BudgetReservations,
  connectRedis,
  createBudgetReservations,
  type ForwardedReservation,
} from '@agp/reservations';
import { createLogger } from '@agp/runtime';
import { eventually, startTestStack, type TestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { WriterMetrics } from '../metrics.ts';
import { keepSweeping, type Noted, noteEnded } from './sweep-reservations.ts';

const now = Date.now();
const dayOf = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10);
const today = dayOf(0);
const forwarded = { sessionId: 'ses_ended', provider: 'openai', model: 'gpt-4o' };

let stack: TestStack<{ redis: true; ownPostgres: true }>;
/** As the writer's user. */
let writer: Database;
let admin: Database;
let redis: ReturnType<typeof connectRedis>;
let reservations: BudgetReservations;
/** A proxy's, whose leases end at once. */
let ofKilled: BudgetReservations;

beforeAll(async () => {
  stack = await startTestStack({ redis: true, ownPostgres: true });
  writer = openDatabase({ url: stack.urls.writer.databaseUrl, applicationName: 'ended-test', pipeline: true });
  admin = openDatabase({ url: stack.databaseUrl, applicationName: 'ended-test' });
  const connect = async (url: string) => {
    const client = connectRedis({ url, commandTimeoutMs: 5_000 });
    await once(client, 'ready');
    return client;
  };
  redis = await connect(stack.urls.writer.redisUrl);
  const proxyRedis = await connect(stack.urls.proxy.redisUrl);
  reservations = createBudgetReservations(redis);
  ofKilled = createBudgetReservations(proxyRedis, 0);
  return async () => {
    for (const client of [redis, proxyRedis]) client.disconnect();
    await Promise.all([writer.close(), admin.close()]);
    await stack[Symbol.asyncDispose]();
  };
});
beforeEach(() => admin.pool.query('TRUNCATE unrecorded_spend'));

/** Requests that a proxy had forwarded when it was killed. */
async function kill(nanoUsd: number, over: Partial<ForwardedReservation> = {}): Promise<ForwardedReservation> {
  const killed = { eventId: randomUUIDv7(), agentId: randomUUIDv7(), day: today, nanoUsd, forwarded, ...over };
  await ofKilled.forward([killed]);
  return killed;
}

const toEvent = ({ eventId, agentId, day }: ForwardedReservation, costNanoUsd: number) =>
  makeEvent({
    id: toPublicId('evt', eventId),
    agent_id: toPublicId('agt', agentId),
    timestamp: `${day}T12:00:00.000Z`,
    cost_nano_usd: costNanoUsd,
  });

const list = () => listUnrecorded(admin.db, {}, { limit: 100, offset: 0 });
async function sweep(by = reservations): Promise<Noted> {
  const all: Noted = { eventIds: [], unreadable: 0 };
  await noteEnded(by, writer.pool, now, ({ eventIds, unreadable }) => {
    all.eventIds.push(...eventIds);
    all.unreadable += unreadable;
  });
  return all;
}

/** The amount that counts against the agent's cap of the day, as a proxy reads it in `readSpendWithRecorded`. */
async function readCounted({ day, agentId }: ForwardedReservation): Promise<number> {
  const held = await reservations.list(day, agentId);
  const eventIds = held.map(({ eventId }) => eventId);
  const { spends, recorded } = await readSpendWithRecorded(admin.pool, day, [agentId], eventIds, []);
  const pending = held.filter(({ eventId }) => !recorded.has(eventId));
  const spent = spends.get(agentId)?.[0] ?? 0;
  return Math.round(spent) + pending.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0);
}

test('requests that a killed proxy had forwarded are noted once with their known details, and count as before', async () => {
  const [capped, free, ofLastWeek] = [
    await kill(70),
    await kill(0, { forwarded: { ...forwarded, model: null } }),
    await kill(5, { day: dayOf(7) }),
  ];
  expect(await readCounted(capped)).toBe(70);
  expect(await sweep()).toMatchObject({ eventIds: { length: 3 }, unreadable: 0 });
  expect(await sweep()).toEqual({ eventIds: [], unreadable: 0 });
  expect(await readCounted(capped)).toBe(70);
  const of = (one: ForwardedReservation, model: string | null) => ({
    event_id: one.eventId,
    agent_id: one.agentId,
    agent_name: null,
    session_id: 'ses_ended',
    provider: 'openai',
    model,
    cost_usd: one.nanoUsd / 1e9,
    reason: 'ended_without_record',
    noted_at: expect.any(Date),
  });
  const rows = await list();
  expect(rows).toHaveLength(3);
  expect(rows).toEqual(expect.arrayContaining([of(capped, 'gpt-4o'), of(free, null), of(ofLastWeek, 'gpt-4o')]));
  for (const { day } of [capped, ofLastWeek]) expect((await reservations.readTotals(day)).globalNanoUsd).toBe(0);
});

test('several writers that sweep at once, again and again, note each once, and one that dies before it releases leaves nothing counted twice', async () => {
  const killed = await Promise.all(Array.from({ length: 600 }, (_, index) => kill(index)));
  const [first] = killed as [ForwardedReservation];
  const dies = { ...reservations, release: () => Promise.reject(new Error('killed')) };
  await expect(sweep(dies)).rejects.toThrow('killed');
  const middle = killed[300] as ForwardedReservation;
  for (const one of [first, middle]) expect(await readCounted(one)).toBe(one.nanoUsd);
  const rounds = await Promise.all([sweep(), sweep(), sweep()]);
  const noted = rounds.flatMap(({ eventIds }) => eventIds);
  // 500 by the one that died.
  expect(new Set(noted).size).toBe(noted.length);
  expect(noted).toHaveLength(100);
  expect(await list()).toHaveLength(100);
  expect((await admin.pool.query('SELECT count(*) FROM unrecorded_spend')).rows).toEqual([{ count: 600 }]);
  for (const one of [first, middle]) expect(await readCounted(one)).toBe(one.nanoUsd);
  expect(await reservations.list(today, null)).toEqual([]);
});

test('an event that comes late takes its place, and one that was recorded is never noted', async () => {
  const [late, recorded] = [await kill(70), await kill(80)];
  await recordEvents(writer.pool, [toEvent(recorded, 8)]);
  expect(await sweep()).toMatchObject({ eventIds: [late.eventId] });
  expect(await readCounted(late)).toBe(70);
  expect(await readCounted(recorded)).toBe(8);
  await recordEvents(writer.pool, [toEvent(late, 7)]);
  expect(await list()).toEqual([]);
  expect(await readCounted(late)).toBe(7);
});

test('an event that is being recorded while its request is noted is counted once, whichever commits first', async () => {
  const killed = await Promise.all(Array.from({ length: 40 }, () => kill(70)));
  const [ofStopped, open, ...others] = killed as [
    ForwardedReservation,
    ForwardedReservation,
    ...ForwardedReservation[],
  ];
  // Noted by a proxy that stopped, which waits for nobody.
  await recordEvents(writer.pool, [toEvent(ofStopped, 7)]);
  await admin.pool.query(
    'INSERT INTO unrecorded_spend (event_id, day, agent_id, cost_usd, reason) VALUES ($1, $2, $3, 1, $$lost$$)',
    [ofStopped.eventId, today, ofStopped.agentId],
  );
  const blocker = await admin.pool.connect();
  try {
    // Recording takes its row of this table last, after all else.
    await blocker.query('BEGIN; LOCK TABLE daily_global_spend IN SHARE MODE');
    const recording = recordEvents(writer.pool, [toEvent(open, 7)]);
    await waitForLock('daily_global_spend');
    const sweeping = sweep();
    await waitForLock('unrecorded_spend');
    await blocker.query('COMMIT');
    await Promise.all([recording, sweeping, ...others.map((one) => recordEvents(writer.pool, [toEvent(one, 7)]))]);
  } finally {
    blocker.release(true);
  }
  await sweep();
  expect(await list()).toEqual([]);
  for (const one of killed) expect(await readCounted(one)).toBe(7);
});

const waitForLock = (table: string) =>
  eventually(async () => {
    const { rows } = await admin.pool.query('SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass', [
      table,
    ]);
    expect(rows).toHaveLength(1);
  });

test('unreadable entries are given up, and the others are still noted', async () => {
  const broken = [
    await kill(5, { agentId: 'nobody' }),
    await kill(5, { eventId: 'x' }),
    await kill(Number.MAX_SAFE_INTEGER * 4),
  ];
  const kept = await kill(5, { forwarded: { sessionId: 'ses_\0\ud800', provider: 'p', model: '|\0' } });
  expect(await sweep()).toEqual({ eventIds: [kept.eventId], unreadable: broken.length });
  expect(await list()).toMatchObject([{ session_id: 'ses_\ufffd\ufffd', model: '|\ufffd' }]);
  expect(await reservations.list(today, null)).toEqual([]);
});

test('a writer sweeps on after Postgres and Redis were away, and says in one line how many it found', async () => {
  const metrics = new WriterMetrics(() => 0);
  const lines: string[] = [];
  const logger = createLogger('writer', 'debug', { write: (line: string) => void lines.push(line) });
  const failures: Error[] = [];
  const stop = keepSweeping({
    reservations,
    pool: writer.pool,
    metrics,
    logger,
    onFailure: (error) => failures.push(error),
    readUnreadMs: async () => 0,
    everyMs: 20,
  });
  try {
    const killed = [await kill(1), await kill(2)];
    await eventually(async () => expect(await list()).toHaveLength(2));
    await stack.postgres.stop();
    const meanwhile = await kill(3);
    await eventually(() => expect(failures).not.toEqual([]));
    await stack.postgres.start();
    await eventually(async () => expect(await list()).toHaveLength(3));
    expect((await list()).map(({ event_id }) => event_id)).toContain(meanwhile.eventId);
    redis.disconnect();
    await eventually(() => expect(redis.status).toBe('end'));
    const failed = failures.length;
    await eventually(() => expect(failures.length).toBeGreaterThan(failed));
    await kill(4);
    await redis.connect();
    await eventually(async () => expect(await list()).toHaveLength(4));
    // Said at the end of a round.
    await eventually(() => {
      const warned = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
      expect(warned.map(({ requests }) => requests).reduce((sum, count) => sum + count, 0)).toBe(4);
    });
    const { values } = await metrics.endedWithoutRecord.get();
    expect(values[0]?.value).toBe(4);
    expect(lines.filter((line) => line.includes('ended without a record')).join()).toContain(
      toPublicId('evt', killed[0]?.eventId ?? ''),
    );
  } finally {
    await stop();
  }
});
