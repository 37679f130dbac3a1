import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toDailyCap } from '@agp/budgets';
import { toPublicId } from '@agp/core/ids';
import { type Database, openDatabase, recordEvents } from '@agp/db';
import { connectRedis, createBudgetReservations } from '@agp/reservations';
import { eventually, longestWaitMs, startTestStack, type TestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createStorage } from '../storage/storage.ts';
import { StorageDeadline } from '../storage/storage-deadline.ts';
import type { BudgetRequest } from './admit-to-budget.ts';
import { Budget } from './budget.ts';

const toCaps = (ofAgent: number | null) => [toDailyCap('agent', ofAgent), toDailyCap('global', null)] as const;

let stack: TestStack<{ redis: true }>;
let database: Database;
beforeAll(async () => {
  stack = await startTestStack({ redis: true });
  database = openDatabase({ url: stack.databaseUrl, applicationName: 'strict-test', pipeline: true });
});
afterAll(async () => {
  await database.close();
  await stack[Symbol.asyncDispose]();
});

/** The strict budget of one more proxy, on the same servers. */
async function openBudget() {
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 1_000 });
  await eventually(() => expect(redis.status).toBe('ready'));
  const shared = createBudgetReservations(redis);
  const failures: Error[] = [];
  const budget = new Budget({
    shared,
    storage: createStorage(database.pool, () => {}),
    isStrict: true,
    // Looks are a second apart.
    restoreWithinMs: 2_000,
    onFailure: (error) => failures.push(error),
  });
  onTestFinished(async () => {
    await budget.stop();
    redis.disconnect();
  });
  return { budget, shared, failures, redis };
}

/** A request of an agent whose cap is 100. */
function ask(agentId: string, over: Partial<BudgetRequest> = {}): BudgetRequest {
  const request = { eventId: randomUUIDv7(), agentId, day: '2026-03-01', nanoUsd: 10, requestsPerMinute: null };
  return { ...request, caps: toCaps(100), charges: [], ...over };
}

const reserve = (budget: Budget, request: BudgetRequest) =>
  budget.reserve(request, new StorageDeadline(performance.now() + 5_000));

/** The code of the refusal; undefined where the request is admitted. */
const tryToReserve = (budget: Budget, request: BudgetRequest): Promise<string | undefined> =>
  reserve(budget, request).then(
    () => undefined,
    ({ code }) => code,
  );

/** Asks again for as long as Redis is not trusted. @returns the refusal that is left */
async function reserveWhenTrusted(budget: Budget, request: BudgetRequest): Promise<string | undefined> {
  // Unlike `eventually` it lets faked timers go on while it waits.
  return await vi.waitFor(
    async () => {
      const refusal = await tryToReserve(budget, request);
      expect(refusal).not.toBe('budget_unavailable');
      return refusal;
    },
    { timeout: longestWaitMs, interval: 100 },
  );
}

test('what a call is known to cost counts at every proxy at once, after a loss too, and once where it is recorded', async () => {
  const [one, two] = [await openBudget(), await openBudget()];
  const agentId = randomUUIDv7();
  const known = ask(agentId);
  expect(await reserveWhenTrusted(one.budget, known)).toBe(undefined);
  await one.budget.markForwarded(known.eventId, { sessionId: 'ses_known', provider: 'openai', model: 'gpt-4o' });
  await one.budget.amend(known.eventId, 95, 0);
  expect(await reserveWhenTrusted(two.budget, ask(agentId))).toBe('budget_held');
  await one.redis.flushall();
  expect(await reserveWhenTrusted(two.budget, ask(agentId))).toBe('budget_held');
  // What costs less than was held is told with the confirmation.
  await one.budget.amend(known.eventId, 40, 0);
  one.budget.confirm(known.eventId);
  await eventually(async () => expect((await two.shared.list(known.day, agentId))[0]?.nanoUsd).toBe(40));
  const id = toPublicId('evt', known.eventId);
  const ofAgent = { agent_id: toPublicId('agt', agentId), timestamp: '2026-03-01T12:00:00.000Z', cost_nano_usd: 40 };
  await recordEvents(database.pool, [makeEvent({ id, ...ofAgent })]);
  expect(await reserveWhenTrusted(two.budget, ask(agentId, { nanoUsd: 60 }))).toBe(undefined);
});

test('strict caps are kept by a Redis that has lost reservations: none is admitted before all are restored', async () => {
  const [one, two] = [await openBudget(), await openBudget()];
  const agentId = randomUUIDv7();
  expect(await reserveWhenTrusted(one.budget, ask(agentId, { nanoUsd: 60 }))).toBe(undefined);
  await one.redis.flushall();
  expect(await tryToReserve(two.budget, ask(agentId, { nanoUsd: 60 }))).toBe('budget_unavailable');
  expect(await reserveWhenTrusted(two.budget, ask(agentId, { nanoUsd: 60 }))).toBe('budget_held');
  expect(await reserveWhenTrusted(two.budget, ask(agentId, { nanoUsd: 40 }))).toBe(undefined);
});

test('a strict cap is kept where Redis is flushed while a request looks who else has reserved', async () => {
  const [one, two] = [await openBudget(), await openBudget()];
  const agentId = randomUUIDv7();
  expect(await reserveWhenTrusted(one.budget, ask(agentId, { nanoUsd: 60 }))).toBe(undefined);
  const list = two.shared.list;
  two.shared.list = async (...asked) => {
    await two.redis.flushall();
    return await list(...asked);
  };
  expect(await reserveWhenTrusted(two.budget, ask(randomUUIDv7()))).toBe(undefined);
  expect(await tryToReserve(two.budget, ask(agentId, { nanoUsd: 60 }))).toBe('budget_unavailable');
});

test('a process trusts Redis only once it has restored its own there, however often that fails', async () => {
  const [one, two] = [await openBudget(), await openBudget()];
  const agentId = randomUUIDv7();
  const confirmed = ask(agentId, { nanoUsd: 60 });
  expect(await reserveWhenTrusted(one.budget, confirmed)).toBe(undefined);
  one.budget.confirm(confirmed.eventId);
  const renew = one.shared.renew;
  one.shared.renew = () => Promise.reject(new Error('not yet'));
  await one.redis.flushall();
  await eventually(() => expect(one.failures.map(({ message }) => message)).toContain('not yet'));
  expect(await reserveWhenTrusted(two.budget, ask(randomUUIDv7()))).toBe(undefined);
  expect(await tryToReserve(one.budget, ask(agentId, { nanoUsd: 60 }))).toBe('budget_unavailable');
  one.shared.renew = renew;
  expect(await reserveWhenTrusted(one.budget, ask(agentId, { nanoUsd: 60 }))).toBe('budget_held');
});

test('an event that waits for a writer counts for as long as it does, also after Redis was flushed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { budget, shared, redis } = await openBudget();
  const agentId = randomUUIDv7();
  const waiting = ask(agentId, { nanoUsd: 60 });
  expect(await reserveWhenTrusted(budget, waiting)).toBe(undefined);
  budget.confirm(waiting.eventId);
  // Five minutes, in steps so that each round has time to end.
  for (let count = 0; count < 30; count += 1) {
    vi.advanceTimersByTime(10_000);
    await sleep(20);
  }
  await redis.flushall();
  expect(await reserveWhenTrusted(budget, ask(agentId, { nanoUsd: 60 }))).toBe('budget_held');
  const event = makeEvent({ id: toPublicId('evt', waiting.eventId), timestamp: '2026-03-01T12:00:00.000Z' });
  await recordEvents(database.pool, [event]);
  // Then it is forgotten, and no longer sent to Redis again.
  await vi.waitFor(async () => {
    vi.advanceTimersByTime(10_000);
    await redis.flushall();
    expect(await reserveWhenTrusted(budget, ask(agentId))).toBe(undefined);
    const held = await shared.list(waiting.day, agentId);
    expect(held.map(({ eventId }) => eventId)).not.toContain(waiting.eventId);
  }, longestWaitMs);
});

test('strict caps are not trusted to a Redis that may evict them', async () => {
  const { budget, redis } = await openBudget();
  expect(await reserveWhenTrusted(budget, ask(randomUUIDv7()))).toBe(undefined);
  onTestFinished(async () => void (await redis.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction')));
  await redis.config('SET', 'maxmemory', '1gb', 'maxmemory-policy', 'volatile-ttl');
  budget.reconnect();
  expect(await tryToReserve(budget, ask(randomUUIDv7()))).toBe('budget_unavailable');
  // Nothing that Redis holds refuses these.
  const warned = { caps: [toDailyCap('agent', 5, true), toDailyCap('global', null)] as const };
  expect(await reserve(budget, ask(randomUUIDv7(), warned))).toMatchObject([{ of: { kind: 'agent' } }]);
  expect(await reserve(budget, ask(randomUUIDv7(), { caps: toCaps(null), requestsPerMinute: 5 }))).toEqual([]);
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
  expect(await reserveWhenTrusted(budget, ask(randomUUIDv7()))).toBe(undefined);
});
