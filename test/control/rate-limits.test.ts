import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BudgetSystem, startBudgetSystem } from './support/budget-system.ts';
import { answerAsReserved, countResults } from './support/send-calls.ts';

let budgets: BudgetSystem;
beforeAll(async () => {
  budgets = await startBudgetSystem(answerAsReserved());
});
afterAll(() => budgets?.[Symbol.asyncDispose]());

/** What is counted must all fall into one minute. */
async function stayWithinTheMinute(ms: number): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < ms) await sleep(left + 100);
}

test('requests a minute are exact across three proxies, and the refusal says how many there are and when to come back', async () => {
  const { pool } = budgets.system.database;
  const agentNames = ['limited-a', 'limited-b', 'limited-c'];
  await pool.query('UPDATE control SET default_requests_per_minute = 25');
  await stayWithinTheMinute(20_000);
  const results = await Promise.all(agentNames.map((agentName) => budgets.sendMany(100, () => ({ agentName }))));
  for (const ofAgent of results) expect(countResults(ofAgent)).toEqual({ 200: 25, '429 rate limit exceeded': 75 });
  const refused = results.flat().find(({ status }) => status === 429);
  expect(refused?.headers).toMatchObject({
    'ratelimit-limit': '25',
    'ratelimit-remaining': '0',
    'x-should-retry': 'false',
  });
  expect(refused?.headers['ratelimit-reset']).toBe(refused?.retryAfter);
  expect(Number(refused?.retryAfter)).toBeGreaterThan(0);
  expect(Number(refused?.retryAfter)).toBeLessThanOrEqual(60);

  // It counts on every route, holds from the next request on, and reserves nothing for what it refuses.
  const asked = await budgets.send({ agentName: 'limited-a', path: 'models' }, 2);
  expect(asked.error).toBe('rate limit exceeded');
  await pool.query('UPDATE agents SET requests_per_minute = 30 WHERE name = $1', ['limited-a']);
  expect(countResults(await budgets.sendMany(20, () => ({ agentName: 'limited-a' })))).toEqual({
    200: 5,
    '429 rate limit exceeded': 15,
  });
  await pool.query('UPDATE agents SET requests_per_minute = NULL WHERE name = $1', ['limited-a']);
  expect(countResults(await budgets.sendMany(20, () => ({ agentName: 'limited-a' })))).toEqual({ 200: 20 });
  await budgets.settle();
}, 120_000);
