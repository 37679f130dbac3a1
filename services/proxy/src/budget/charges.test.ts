import { randomUUIDv7 } from 'node:crypto';
import { type BudgetDefinition, budgetSchema, findCharges, prepareHeld, toDailyCap } from '@agp/budgets';
import { type Database, openDatabase } from '@agp/db';
import { connectRedis, createBudgetReservations } from '@agp/reservations';
import { eventually, startTestStack, type TestStack } from '@agp/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createStorage } from '../storage/storage.ts';
import { StorageDeadline } from '../storage/storage-deadline.ts';
import type { BudgetRequest } from './admit-to-budget.ts';
import { Budget } from './budget.ts';

const caps = [toDailyCap('agent', null), toDailyCap('global', null)] as const;
const now = Date.parse('2026-03-01T12:00:00Z');

let stack: TestStack<{ redis: true }>;
let database: Database;
beforeAll(async () => {
  stack = await startTestStack({ redis: true });
  database = openDatabase({ url: stack.databaseUrl, applicationName: 'charges-test', pipeline: true });
});
afterAll(async () => {
  await database.close();
  await stack[Symbol.asyncDispose]();
});

/** The budgets of one more proxy, on the same servers. */
async function openBudget() {
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 60_000 });
  await eventually(() => expect(redis.status).toBe('ready'));
  const shared = createBudgetReservations(redis);
  const storage = createStorage(database.pool, () => {});
  const budget = new Budget({ shared, storage, isStrict: false, onFailure: () => {} });
  onTestFinished(async () => {
    await budget.stop();
    redis.disconnect();
  });
  return { budget, shared };
}

/** Of the amount 100 in steps of its unit. */
const define = (over: Partial<BudgetDefinition>) => {
  const amount = (over.unit ?? 'usd') === 'usd' ? 1e-7 : 100;
  const budget = budgetSchema.parse({ name: 'b', amount, window: 'total', ...over });
  return { id: randomUUIDv7(), epoch: 1, budget, active: budget, activeEpoch: 1 };
};

const ask = (rows: ReturnType<typeof define>[], over: Partial<BudgetRequest> = {}, tokens = 10): BudgetRequest => {
  const call = { agent: 'bot', labels: {}, tag: 'default', provider: 'openai', models: null, sessionId: 'ses_x' };
  const agentId = over.agentId ?? randomUUIDv7();
  const { all, scopes } = findCharges(prepareHeld(1, rows), { ...call, agentId }, now);
  const request = { eventId: randomUUIDv7(), agentId, day: '2026-03-01', nanoUsd: 10, requestsPerMinute: null };
  return { ...request, caps, charges: all, budgets: { scopes, tokens }, ...over };
};

const reserve = (budget: Budget, request: BudgetRequest) =>
  budget.reserve(request, new StorageDeadline(performance.now() + 60_000)).then(
    (warnings) => warnings.map(({ of }) => of.kind === 'budget' && of.stored.budget.name),
    (error: { code: string }) => error.code,
  );

test('of parallel requests at two proxies as many pass as the tightest budget has room for, whatever it counts', async () => {
  const proxies = [await openBudget(), await openBudget()];
  for (const [unit, room] of [
    ['usd', 10],
    ['tokens', 5],
    ['requests', 100],
  ] as const) {
    const rows = [define({ unit }), define({ name: 'wide', on_exceeded: 'warn', unit: 'requests' })];
    const asked = Array.from({ length: 120 }, (_, at) =>
      reserve((proxies[at % 2] as { budget: Budget }).budget, ask(rows, {}, 20)),
    );
    const results = await Promise.all(asked);
    expect(results.filter((result) => typeof result !== 'string')).toHaveLength(room);
    expect(new Set(results.filter((result) => typeof result === 'string'))).toEqual(new Set(['budget_held']));
  }
});
