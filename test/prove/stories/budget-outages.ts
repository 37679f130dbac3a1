import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from '../../control/support/budget-system.ts';
import { answerAsReserved, type CallResult, countResults } from '../../control/support/send-calls.ts';
import { type SystemOptions, waitFor } from '../../system/start-system.ts';
import type { Report } from '../story.ts';

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

/** Sends from `atOnce` workers over all proxies until `end`; requests are then answered to the last. */
function keepSending(budgets: BudgetSystem) {
  const results: CallResult[] = [];
  let isOver = false;
  const work = async (_: unknown, worker: number) => {
    while (!isOver) {
      const result = await budgets.send({ agentName }, worker % 3);
      results.push(result);
      // An agent that is refused waits a little.
      if (result.status !== 200) await sleep(20);
    }
  };
  const working = Promise.all(Array.from({ length: atOnce }, work));
  const count = (status: number) => results.filter((result) => result.status === status).length;
  return {
    /** Waits until so many more have this status. */
    more: (status: number, atLeast: number) => {
      const before = count(status);
      return waitFor(`${atLeast} more of ${status}`, () => count(status) >= before + atLeast);
    },
    end: async () => {
      isOver = true;
      await working;
      return results;
    },
  };
}

/** Redis killed, flushed and started again under load: the cap is passed by no more than was in flight, and refusals are of the cap. */
export async function loseRedisUnderLoad(report: Report): Promise<void> {
  const { budgets, cost } = await startCapped(400);
  await using _ = budgets;
  const { redis } = budgets.system.stack;
  const sending = keepSending(budgets);
  await sending.more(200, 30);
  await redis.kill();
  await sending.more(200, 30);
  await redis.start();
  await sending.more(200, 30);
  await budgets.flushRedis();
  await sending.more(200, 30);
  redis.pause();
  await sending.more(200, 30);
  redis.resume();
  await sending.more(200, 30);
  await budgets.flushRedis();
  await waitFor('the cap to be spent', async () => (await budgets.readState(agentName)).spent >= 400 * cost);
  await sending.more(429, atOnce);
  const results = await sending.end();
  await budgets.settle();
  const { spent } = await budgets.readState(agentName);
  const { 200: passed, ...refused } = countResults(results);
  report({ 'without Redis': `${passed} of 400 requests passed, ${JSON.stringify(refused)}` });
  expect(spent).toBe((passed ?? 0) * cost);
  expect(spent).toBeGreaterThanOrEqual(400 * cost);
  expect(spent).toBeLessThanOrEqual((400 + atOnce) * cost);
  const documented = [
    '429 daily budget exceeded',
    '429 daily budget held by requests in flight',
    // Of a machine that is too busy to read the status in time.
    '503 agent status unavailable',
  ];
  expect(Object.keys(refused).filter((name) => !documented.includes(name))).toEqual([]);
}

/** Postgres killed and started again under load: the cap holds to the request, and refusals say that the status is unknown. */
export async function losePostgresUnderLoad(report: Report): Promise<void> {
  const { budgets, cost } = await startCapped(150, { ownPostgres: true });
  await using _ = budgets;
  const { postgres } = budgets.system.stack;
  const sending = keepSending(budgets);
  await sending.more(200, 30);
  await postgres.kill();
  await sending.more(503, atOnce);
  await postgres.start();
  await sending.more(200, 30);
  await postgres.stop();
  await postgres.start();
  const read = async () => (await budgets.readState(agentName).catch(() => ({ spent: 0 }))).spent;
  await waitFor('the cap to be spent', async () => (await read()) >= 150 * cost);
  await sending.more(429, atOnce);
  const results = await sending.end();
  await budgets.settle();
  const { 200: passed, ...refused } = countResults(results);
  report({ 'without Postgres': `${passed} of 150 requests passed, ${JSON.stringify(refused)}` });
  expect(passed).toBe(150);
  expect((await budgets.readState(agentName)).spent).toBe(150 * cost);
  expect(refused['503 agent status unavailable']).toBeGreaterThan(0);
  const documented = [
    '429 daily budget exceeded',
    '429 daily budget held by requests in flight',
    '503 agent status unavailable',
  ];
  expect(Object.keys(refused).filter((name) => !documented.includes(name))).toEqual([]);
}
