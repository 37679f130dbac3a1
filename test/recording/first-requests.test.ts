import { expect, test } from 'vitest';
import { startBudgetSystem, stayWithinTheDay } from '../control/support/budget-system.ts';
import { answerAsReserved, countResults } from '../control/support/send-calls.ts';

const agents = 20;
const each = 20;

test(`${agents} unknown agents with ${each} first requests each at once get one row each, and the default cap from the very first on`, async () => {
  await stayWithinTheDay(60_000);
  // All come from one address: what is limited there is agents, not their requests.
  const environment = { MAX_REGISTRATIONS_PER_MINUTE: String(3 * agents + 1) };
  await using budgets = await startBudgetSystem(answerAsReserved(1, 20), { environment });
  await budgets.send({ agentName: 'measured' });
  const { spent: cost } = await budgets.settle();
  await budgets.setDefaultCap(3 * cost);
  const names = Array.from({ length: agents }, (_, index) => `newcomer-${index}`);
  // A few names at a time, so that all requests of a name really come together.
  const atOnce = 5;
  for (let from = 0; from < agents; from += atOnce) {
    const toCall = (index: number) => ({ agentName: names[from + (index % atOnce)] ?? '' });
    const { 200: passed, ...refused } = countResults(await budgets.sendMany(atOnce * each, toCall));
    expect(passed).toBe(3 * atOnce);
    expect(Object.keys(refused).filter((name) => !name.startsWith('429 daily budget'))).toEqual([]);
  }
  await budgets.settle();
  const { rows } = await budgets.system.database.pool.query<{ name: string; agents: number; spent: string }>(
    `SELECT name, count(DISTINCT agents.id)::int AS agents, sum(cost_usd) * 1e9 AS spent
     FROM agents JOIN daily_usage ON agent_id = agents.id WHERE name LIKE 'newcomer-%' GROUP BY name`,
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const row of rows) expect([row.agents, Number(row.spent)]).toEqual([1, 3 * cost]);
});
