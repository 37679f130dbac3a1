import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toDailyCap } from '@agp/budgets';
import { fromPublicId, toPublicId } from '@agp/core/ids';
import { type Database, openDatabase, recordEvents } from '@agp/db';
import { connectRedis, createBudgetReservations } from '@agp/reservations';
import { eventually, startTestStack, type TestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createStorage } from '../storage/storage.ts';
import { StorageDeadline } from '../storage/storage-deadline.ts';
import type { BudgetRequest } from './admit-to-budget.ts';
import { Budget } from './budget.ts';

const day = '2026-03-01';
const toCaps = (ofAgent: number | null, ofAll: number | null = null) =>
  [toDailyCap('agent', ofAgent), toDailyCap('global', ofAll)] as const;

let stack: TestStack<{ redis: true }>;
let database: Database;
beforeAll(async () => {
  stack = await startTestStack({ redis: true });
  database = openDatabase({ url: stack.databaseUrl, applicationName: 'budget-test', pipeline: true });
});
afterAll(async () => {
  await database.close();
  await stack[Symbol.asyncDispose]();
});

/** The budget of one more proxy, on the same servers. */
async function openBudget(given: { isStrict?: boolean; commandTimeoutMs?: number } = {}) {
  const { commandTimeoutMs = 1_000, ...options } = given;
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs });
  await eventually(() => expect(redis.status).toBe('ready'));
  const shared = createBudgetReservations(redis);
  const failures: Error[] = [];
  const storage = createStorage(database.pool, () => {});
  const budget = new Budget({
    shared,
    storage,
    isStrict: false,
    onFailure: (error) => failures.push(error),
    ...options,
  });
  onTestFinished(async () => {
    await budget.stop();
    redis.disconnect();
  });
  return { budget, shared, failures, redis };
}

/** A request of an agent whose cap is 100. */
function ask(agentId: string, over: Partial<BudgetRequest> = {}): BudgetRequest {
  return {
    ...{ eventId: randomUUIDv7(), agentId, day, nanoUsd: 10 },
    caps: toCaps(100),
    charges: [],
    requestsPerMinute: null,
    ...over,
  };
}

const going = { sessionId: 'ses_going', provider: 'openai', model: 'gpt-4o' };

const reserve = (budget: Budget, request: BudgetRequest) =>
  budget.reserve(request, new StorageDeadline(performance.now() + 5_000));

/** The refusals among what was asked for at once. */
async function listRefusals(asked: Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(asked);
  return settled.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []));
}

/** Records the request's event, as a writer does, without releasing what was reserved for it. */
async function record({ eventId, agentId }: BudgetRequest, costNanoUsd: number): Promise<void> {
  const event = makeEvent({
    id: toPublicId('evt', eventId),
    agent_id: toPublicId('agt', agentId),
    timestamp: `${day}T12:00:00.000Z`,
    cost_nano_usd: costNanoUsd,
  });
  await recordEvents(database.pool, [event]);
  expect(fromPublicId('evt', event.id)).toBe(eventId);
}

test('of requests at two proxies as many pass as the cap has room for, and what is given back makes room again', async () => {
  const [one, two] = [await openBudget(), await openBudget()];
  const agentId = randomUUIDv7();
  const requests = Array.from({ length: 60 }, () => ask(agentId));
  const admitted: BudgetRequest[] = [];
  const asked = requests.map(async (request, index) => {
    await reserve(index % 2 ? one.budget : two.budget, request);
    admitted.push(request);
  });
  expect(await listRefusals(asked)).toEqual(Array(50).fill('budget_held'));
  expect((await one.shared.readTotals(day)).byAgent.get(agentId)).toBe(100);
  const [first] = admitted as [BudgetRequest];
  const waiting = reserve(one.budget, ask(agentId));
  one.budget.release(first.eventId);
  two.budget.release(first.eventId);
  expect(await waiting).toEqual([]);
});

test('a recorded request that is not yet released is not counted twice', async () => {
  const { budget, shared } = await openBudget();
  const agentId = randomUUIDv7();
  const requests = Array.from({ length: 10 }, () => ask(agentId));
  for (const request of requests) await reserve(budget, request);
  for (const request of requests) await record(request, 4);
  // 100 are reserved, nothing is pending any more, and 40 were spent.
  for (let index = 0; index < 6; index += 1) await reserve(budget, ask(agentId));
  expect(await listRefusals([reserve(budget, ask(agentId))])).toEqual(['budget_held']);
  expect((await shared.list(day, agentId)).length).toBe(16);
});

test('a cap of all counts the requests of every agent; the day before is another budget', async () => {
  const { budget } = await openBudget();
  const ofDay = '2026-02-27';
  const all = () => ask(randomUUIDv7(), { caps: toCaps(null, 30), day: ofDay });
  expect(await listRefusals(Array.from({ length: 8 }, () => reserve(budget, all())))).toEqual(
    Array(5).fill('budget_held'),
  );
  expect(await reserve(budget, { ...all(), day: '2026-02-26' })).toEqual([]);
  const warned = { caps: [toDailyCap('agent', null), toDailyCap('global', 30, true)] as const };
  expect(await reserve(budget, { ...all(), ...warned })).toMatchObject([{ of: { kind: 'global' } }]);
});

test('the cost of an event that was lost counts as spent, and its reservation ends', async () => {
  const { budget, shared } = await openBudget();
  const agentId = randomUUIDv7();
  const lost = ask(agentId, { nanoUsd: 60 });
  await reserve(budget, lost);
  budget.lose(lost.eventId, 95);
  budget.lose(lost.eventId, 95);
  await eventually(async () => expect(await shared.list(day, agentId)).toEqual([]));
  expect(await listRefusals([reserve(budget, ask(agentId))])).toEqual(['agent_budget_exceeded']);
  expect(await reserve(budget, ask(agentId, { nanoUsd: 5 }))).toEqual([]);
});

test('reservations of a stopping process stay in the spend until their events are recorded', async () => {
  const [{ budget, shared }, other] = [await openBudget(), await openBudget()];
  const agentId = randomUUIDv7();
  const held = ask(agentId, { nanoUsd: 95 });
  await reserve(budget, held);
  await budget.markForwarded(held.eventId, going);
  // One that was never sent on.
  await reserve(budget, ask(agentId, { nanoUsd: 5 }));
  await budget.stop();
  await shared.release([held]);
  const { rows } = await database.pool.query(
    'SELECT event_id, cost_usd, reason, session_id, provider, model FROM unrecorded_spend WHERE agent_id = $1',
    [agentId],
  );
  const noted = { reason: 'ended_without_record', session_id: 'ses_going', provider: 'openai', model: 'gpt-4o' };
  expect(rows).toEqual([{ event_id: held.eventId, cost_usd: 95e-9, ...noted }]);
  expect(await listRefusals([reserve(other.budget, ask(agentId))])).toEqual(['agent_budget_exceeded']);
  await record(held, 3);
  expect(await reserve(other.budget, ask(agentId))).toEqual([]);
});

test('reservations that Redis lost are sent again, and those of recorded events do not count twice', async () => {
  const { budget, shared, redis } = await openBudget();
  const agentId = randomUUIDv7();
  const requests = [7, 20, 50].map((nanoUsd) => ask(agentId, { nanoUsd }));
  const [, confirmed, recorded] = requests as [BudgetRequest, BudgetRequest, BudgetRequest];
  await Promise.all(requests.map((request) => reserve(budget, request)));
  for (const { eventId } of [confirmed, recorded]) budget.confirm(eventId);
  await record(recorded, 50);
  await redis.flushall();
  const readTotals = async () => Object.fromEntries((await shared.readTotals(day)).byAgent);
  await eventually(async () => expect(await readTotals()).toEqual({ [agentId]: 77 }));
  expect(await reserve(budget, ask(agentId, { nanoUsd: 23 }))).toEqual([]);
  expect(await listRefusals([reserve(budget, ask(agentId, { nanoUsd: 1 }))])).toEqual(['budget_held']);
});

test("a confirmed event's reservation is held for a late writer even if Redis was away at its confirmation", async () => {
  const { budget, failures, redis } = await openBudget();
  const request = ask(randomUUIDv7());
  await reserve(budget, request);
  redis.disconnect();
  budget.confirm(request.eventId);
  await eventually(() => expect(failures).not.toEqual([]));
  await redis.connect();
  const readLease = async () => Number(await redis.zscore(`agp:{budget}:${day}:leases`, request.eventId));
  await eventually(async () => expect(await readLease()).toBeGreaterThan(Date.now() + 3_600_000));
});

test('an agent without cap or limit waits for nothing, and what it runs counts once it gets a cap', async () => {
  const { budget, redis } = await openBudget();
  const agentId = randomUUIDv7();
  const requests = Array.from({ length: 9 }, () => ask(agentId, { caps: toCaps(null) }));
  await Promise.all(requests.map((request) => reserve(budget, request)));
  await redis.config('RESETSTAT');
  await Promise.all(requests.map(({ eventId }) => budget.markForwarded(eventId, going)));
  // Those that go together are one command: it sets the time of its six keys once, not for each request.
  const [, calls] = /^cmdstat_expire:calls=(\d+)/m.exec(await redis.info('commandstats')) ?? [];
  expect(Number(calls)).toBe(6);
  expect(await reserve(budget, ask(agentId))).toEqual([]);
  expect(await listRefusals([reserve(budget, ask(agentId))])).toEqual(['budget_held']);
});

test('what is forwarded while Redis is away, or silent, is kept in Postgres with a sign of life, capped or not', async () => {
  const { budget, redis, failures } = await openBudget();
  const readKept = async () => {
    const { rows } = await database.pool.query(
      'SELECT event_id, agent_id, 1e9 * cost_usd AS nano_usd, session_id, provider, model, seen_at FROM forwarded_requests ORDER BY cost_usd',
    );
    return rows;
  };
  const forwardOne = async (nanoUsd: number, over: Partial<BudgetRequest> = {}) => {
    const request = ask(randomUUIDv7(), { nanoUsd, ...over });
    await reserve(budget, request);
    await budget.markForwarded(request.eventId, going);
    return request;
  };
  const { eventId } = await forwardOne(1);
  await eventually(async () => expect(await redis.hexists(`agp:{budget}:${day}:requests`, eventId)).toBe(1));
  stack.redis.pause();
  // Without a cap Redis is not asked before it is told.
  const silent = await forwardOne(2, { caps: toCaps(null) });
  await eventually(() => expect(failures).not.toEqual([]));
  stack.redis.resume();
  await eventually(async () => expect(await readKept()).toHaveLength(1));
  redis.disconnect();
  const [capped, uncapped] = [await forwardOne(3), await forwardOne(4, { caps: toCaps(null) })];
  await eventually(async () => expect(await readKept()).toHaveLength(3));
  const kept = await readKept();
  const request = { session_id: 'ses_going', provider: 'openai', model: 'gpt-4o' };
  expect(kept).toMatchObject(
    [silent, capped, uncapped].map(({ eventId, agentId, nanoUsd }) => ({
      event_id: eventId,
      agent_id: agentId,
      nano_usd: nanoUsd,
      ...request,
    })),
  );
  budget.confirm(silent.eventId);
  budget.reconnect();
  // All that runs is in Postgres now, also what Redis had.
  await eventually(async () => expect(await readKept()).toHaveLength(4));
  const [, ofSilent, ...others] = await readKept();
  expect(ofSilent?.seen_at).toEqual(kept[0]?.seen_at);
  for (const [index, { seen_at }] of others.entries())
    expect(seen_at.getTime()).toBeGreaterThan(kept[index + 1]?.seen_at.getTime());
});

test('the time that a silent Redis takes is not taken from Postgres, whose spend still decides', async () => {
  const commandTimeoutMs = 3_000;
  const { budget, failures } = await openBudget({ commandTimeoutMs });
  const [agentId, spender] = [randomUUIDv7(), randomUUIDv7()];
  await record(ask(spender), 100);
  // Postgres is slow, too, but answers in its time.
  const locker = await database.pool.connect();
  await locker.query('BEGIN; LOCK TABLE daily_usage IN ACCESS EXCLUSIVE MODE');
  stack.redis.pause();
  try {
    const until = performance.now() + commandTimeoutMs - 100;
    const deadlines: StorageDeadline[] = [];
    const take = () => deadlines[deadlines.push(new StorageDeadline(until)) - 1] as StorageDeadline;
    const asked = [agentId, spender].flatMap((id) => [
      budget.reserve(ask(id), take()),
      budget.checkEarly(ask(id, { requestsPerMinute: 60 }), take()),
    ]);
    const refusals = listRefusals(asked);
    await eventually(() => expect(failures.length).toBeGreaterThanOrEqual(4));
    await sleep(300);
    await locker.query('ROLLBACK');
    expect(await refusals).toEqual(['agent_budget_exceeded', 'agent_budget_exceeded']);
    // What the request asks of Postgres after that has its time too.
    for (const { at } of deadlines) expect(at - until).toBeGreaterThan(commandTimeoutMs - 100);
  } finally {
    locker.release(true);
    stack.redis.resume();
  }
});

test('without Redis each process counts its own requests, or refuses if BUDGET is strict', async () => {
  const [available, strict] = [await openBudget(), await openBudget({ isStrict: true })];
  const agentId = randomUUIDv7();
  const earlier = Array.from({ length: 4 }, () => ask(agentId));
  for (const request of earlier) await reserve(available.budget, request);
  await stack.redis.kill();
  await sleep(100);
  const asked = Array.from({ length: 10 }, () => reserve(available.budget, ask(agentId)));
  expect(await listRefusals(asked)).toEqual(Array(4).fill('budget_held'));
  await record(earlier[0] as BudgetRequest, 0);
  expect(await reserve(available.budget, ask(agentId))).toEqual([]);
  expect(await listRefusals([reserve(strict.budget, ask(agentId))])).toEqual(['budget_unavailable']);
  expect(await reserve(strict.budget, ask(agentId, { caps: toCaps(null) }))).toEqual([]);
  expect(available.failures.length).toBeGreaterThan(0);
  // A limit is then each process's own.
  const limited = Array.from({ length: 5 }, () =>
    reserve(available.budget, ask(agentId, { caps: toCaps(null), requestsPerMinute: 3 })),
  );
  expect(await listRefusals(limited)).toEqual(['rate_limited', 'rate_limited']);
  await stack.redis.start();
});
