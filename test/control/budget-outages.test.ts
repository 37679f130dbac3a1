import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type SystemOptions, waitFor } from '../system/start-system.ts';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';
import { answerAsReserved, type CallResult, countResults } from './support/send-calls.ts';

const atOnce = 30;
const agentName = 'spender';

/** A cap of so many requests, of which none has been sent. */
async function startCapped(
  requests: number,
  options: SystemOptions = {},
): Promise<{ budgets: BudgetSystem; cost: number }> {
  await stayWithinTheDay(120_000);
  const budgets = await startBudgetSystem(answerAsReserved(1, 50), options);
  await budgets.send({ agentName: 'measured' });
  const { spent: cost } = await budgets.settle();
  await budgets.setDefaultCap(requests * cost);
  return { budgets, cost };
}

/** Sends from `atOnce` workers over all proxies until `isOver`; requests are then answered to the last. */
async function sendUntil(budgets: BudgetSystem, isOver: () => boolean): Promise<CallResult[]> {
  const results: CallResult[] = [];
  const work = async (_: unknown, worker: number) => {
    while (!isOver()) {
      const result = await budgets.send({ agentName }, worker % 3);
      results.push(result);
      // An agent that is refused waits a little.
      if (result.status !== 200) await sleep(20);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

test('Redis killed, flushed and started again under load: the cap is passed by no more than was in flight, and refusals are of the cap', async () => {
  const { budgets, cost } = await startCapped(600);
  await using _ = budgets;
  const { redis } = budgets.system.stack;
  let isOver = false;
  const sending = sendUntil(budgets, () => isOver);
  await sleep(700);
  await redis.kill();
  await sleep(1_500);
  await redis.start();
  await sleep(1_500);
  await budgets.flushRedis();
  await sleep(700);
  redis.pause();
  await sleep(1_500);
  redis.resume();
  await sleep(500);
  await budgets.flushRedis();
  await waitFor('the cap to be spent', async () => (await budgets.readState(agentName)).spent >= 600 * cost, 60_000);
  await sleep(300);
  isOver = true;
  const results = await sending;
  await budgets.settle(40_000);
  const { spent } = await budgets.readState(agentName);
  const { 200: passed, ...refused } = countResults(results);
  console.log(`Redis lost and flushed: ${passed} of 600 requests passed, ${JSON.stringify(refused)}`);
  expect(spent).toBe((passed ?? 0) * cost);
  expect(spent).toBeGreaterThanOrEqual(600 * cost);
  expect(spent).toBeLessThanOrEqual((600 + atOnce) * cost);
  const documented = [
    '429 daily budget exceeded',
    '429 daily budget held by requests in flight',
    // Of a machine that is too busy to read the status in time.
    '503 agent status unavailable',
  ];
  expect(Object.keys(refused).filter((name) => !documented.includes(name))).toEqual([]);
}, 120_000);

test('BUDGET=strict: while Redis is away requests with a cap get 503, those without pass, and then it goes on', async () => {
  const { budgets } = await startCapped(100, { environment: { BUDGET: 'strict' } });
  await using _ = budgets;
  await budgets.send({ agentName });
  await budgets.settle();
  await budgets.setDefaultCap(null);
  await budgets.send({ agentName: 'uncapped' });
  await budgets.system.stack.redis.stop();
  const during = await budgets.sendMany(10, () => ({ agentName }));
  expect(countResults(during)).toEqual({ '503 budget unavailable': 10 });
  for (const { retryAfter, headers } of during)
    expect([retryAfter, headers['x-should-retry']]).toEqual(['1', undefined]);
  expect(countResults(await budgets.sendMany(10, () => ({ agentName: 'uncapped' })))).toEqual({ 200: 10 });
  await budgets.system.stack.redis.start();
  await waitFor('capped requests to pass again', async () => (await budgets.send({ agentName })).status === 200);
}, 120_000);

test('Postgres killed and started again under load: the cap holds to the request, and refusals say that the status is unknown', async () => {
  const { budgets, cost } = await startCapped(300, { ownPostgres: true });
  await using _ = budgets;
  const { postgres } = budgets.system.stack;
  let isOver = false;
  const sending = sendUntil(budgets, () => isOver);
  await sleep(700);
  await postgres.kill();
  await sleep(1_500);
  await postgres.start();
  await sleep(1_000);
  await postgres.stop();
  await postgres.start();
  const read = async () => (await budgets.readState(agentName).catch(() => ({ spent: 0 }))).spent;
  await waitFor('the cap to be spent', async () => (await read()) >= 300 * cost, 60_000);
  await sleep(300);
  isOver = true;
  const results = await sending;
  await budgets.settle(40_000);
  const { 200: passed, ...refused } = countResults(results);
  console.log(`Postgres lost twice: ${passed} of 300 requests passed, ${JSON.stringify(refused)}`);
  expect(passed).toBe(300);
  expect((await budgets.readState(agentName)).spent).toBe(300 * cost);
  expect(refused['503 agent status unavailable']).toBeGreaterThan(0);
  const documented = [
    '429 daily budget exceeded',
    '429 daily budget held by requests in flight',
    '503 agent status unavailable',
  ];
  expect(Object.keys(refused).filter((name) => !documented.includes(name))).toEqual([]);
}, 120_000);
