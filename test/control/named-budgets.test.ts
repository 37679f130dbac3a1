import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { measureCost } from '../prove/stories/burst-caps.ts';
import {
  labelTeams,
  listBudgets,
  makeBudget,
  spendOverlapping,
  teamAgents,
} from '../prove/stories/overlapping-budgets.ts';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';
import { answerAsReserved, pricedModel } from './support/send-calls.ts';

let budgets: BudgetSystem;
/** What one request costs, in nano-dollars. */
let cost: number;
beforeAll(async () => {
  budgets = await startBudgetSystem(answerAsReserved(1, 20), { writers: 2 });
  cost = await measureCost(budgets);
  await labelTeams(budgets);
});
afterAll(() => budgets?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await stayWithinTheDay(60_000);
  for (const { id } of await listBudgets(budgets)) await remove(id);
  await budgets.settle();
});

const make = (budget: object, id?: string) => makeBudget(budgets, budget, id);

async function remove(id: string): Promise<void> {
  const headers = { authorization: `Bearer ${budgets.system.apiKey}` };
  const { status } = await fetch(`${budgets.system.management.url}/api/v1/budgets/${id}`, {
    method: 'DELETE',
    headers,
  });
  expect(status).toBe(204);
}

const usd = (calls: number) => Number(((calls * cost) / 1e9).toFixed(9));
test('budgets that overlap are none of them passed by parallel calls, and each refusal names the one without room', () =>
  spendOverlapping(budgets, cost, { parallel: 60 }));

test('a refusal says which budget, its window, what is spent, held and asked, and when it begins anew', async () => {
  await make({
    name: 'small',
    match: { models: [pricedModel] },
    amount: usd(0.5),
    window: 'month',
    zone: 'Europe/Berlin',
  });
  const refused = await budgets.send({ agentName: 'legal-1' });
  expect(refused.status).toBe(429);
  expect(refused.message).toMatch(
    /^budget small exceeded: \S+ USD for a month in Europe\/Berlin, spent \S+, held 0, this request may take \S+; it begins anew at \d{4}-\d\d-\d\dT2[23]:00:00\.000Z$/,
  );
  expect(refused.headers).toMatchObject({
    'x-error-code': 'budget_exceeded',
    'x-budget-name': 'small',
    'x-budget-unit': 'USD',
    'x-budget-amount': String(usd(0.5)),
    'x-budget-held': '0',
    'x-budget-resets-at': expect.stringMatching(/T2[23]:00:00/),
    'x-should-retry': 'false',
    'retry-after': expect.stringMatching(/^\d+$/),
  });
});

test('what counts is what the records say, whatever is changed while calls run', async () => {
  const flow = budgets.sendMany(40, (index) => ({ agentName: teamAgents[index % 12]?.name ?? '' }));
  const made = await make({ name: 'moving', match: { labels: { team: ['sales'] } }, amount: 1_000, window: 'total' });
  await remove((await make({ name: 'doomed', split_by: 'agent', amount: 1_000, window: 'day' })).id);
  // An agent that is relabelled counts as it was when a call was admitted.
  await budgets.system.database.pool.query(`UPDATE agents SET metadata = '{"team":"sales"}' WHERE name = 'legal-1'`);
  await make({ ...made.budget, match: { labels: { team: ['sales', 'support'] } } }, made.id);
  await flow;
  await budgets.settle();
  const { rows } = await budgets.system.database.pool.query<{ usd: number }>(
    `SELECT sum(cost_usd)::float8 AS usd FROM events WHERE labels->>'team' IN ('sales', 'support')`,
  );
  expect((await listBudgets(budgets)).find(({ id }) => id === made.id)?.uses[0]?.used).toBeCloseTo(
    Number(rows[0]?.usd),
    9,
  );
});
