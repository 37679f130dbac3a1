import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BudgetSystem, startBudgetSystem } from './support/budget-system.ts';
import { answerAsReserved, countResults } from './support/send-calls.ts';

let budgets: BudgetSystem;
beforeAll(async () => {
  budgets = await startBudgetSystem(answerAsReserved());
});
afterAll(() => budgets?.[Symbol.asyncDispose]());

const readMinute = () => Math.floor(Date.now() / 60_000);

/** What is counted must all fall into one minute: an attempt that did not is made again. */
async function withinOneMinute(attempt: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; ; round += 1) {
    const minute = readMinute();
    try {
      return await attempt(round);
    } catch (error) {
      if (readMinute() === minute) throw error;
    }
  }
}

test('requests a minute are exact across three proxies, and the refusal says how many there are and when to come back', () =>
  withinOneMinute(async (round) => {
    const { pool } = budgets.system.database;
    const agentNames = ['a', 'b', 'c'].map((name) => `limited-${round}-${name}`);
    const [first = ''] = agentNames;
    await pool.query('UPDATE control SET default_requests_per_minute = 5');
    // Few at once: where Redis does not answer in time requests are let through.
    const results = [];
    for (const agentName of agentNames) results.push(await budgets.sendMany(12, () => ({ agentName })));
    for (const ofAgent of results)
      expect(countResults(ofAgent)).toEqual({
        200: 5,
        '429 rate limit exceeded: at most 5 a minute for this agent': 7,
      });
    const refused = results.flat().find(({ status }) => status === 429);
    expect(refused?.headers).toMatchObject({
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'x-error-code': 'rate_limited',
    });
    // SDKs wait for the window's end and try again.
    expect(refused?.headers['x-should-retry']).toBeUndefined();
    expect(refused?.headers['ratelimit-reset']).toBe(refused?.retryAfter);
    expect(Number(refused?.retryAfter)).toBeGreaterThan(0);
    expect(Number(refused?.retryAfter)).toBeLessThanOrEqual(60);

    // It counts on every route, holds from the next request on, and reserves nothing for what it refuses.
    const asked = await budgets.send({ agentName: first, path: 'models' }, 2);
    expect(asked.error).toMatch(/^rate limit exceeded: at most \d+ a minute/);
    await pool.query('UPDATE agents SET requests_per_minute = 8 WHERE name = $1', [first]);
    expect(countResults(await budgets.sendMany(10, () => ({ agentName: first })))).toEqual({
      200: 3,
      '429 rate limit exceeded: at most 8 a minute for this agent': 7,
    });
    await pool.query('UPDATE agents SET requests_per_minute = NULL WHERE name = $1', [first]);
    expect(countResults(await budgets.sendMany(10, () => ({ agentName: first })))).toEqual({ 200: 10 });
    await budgets.settle();
  }));
