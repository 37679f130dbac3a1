import { expect, test } from 'vitest';
import { startBudgetSystem, stayWithinTheDay } from '../control/support/budget-system.ts';
import { answerAsReserved, countResults } from '../control/support/send-calls.ts';
import { readMetric } from '../system/read-metric.ts';

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
  const passedOf = new Map<string, number>();
  for (let from = 0; from < agents; from += atOnce) {
    const toCall = (index: number) => ({ agentName: names[from + (index % atOnce)] ?? '' });
    const results = await budgets.sendMany(atOnce * each, toCall);
    for (const [index, { status }] of results.entries()) {
      const { agentName } = toCall(index);
      passedOf.set(agentName, (passedOf.get(agentName) ?? 0) + (status === 200 ? 1 : 0));
    }
    const { 200: _passed, ...refused } = countResults(results);
    expect(Object.keys(refused).filter((name) => !name.startsWith('429 daily budget'))).toEqual([]);
  }
  await budgets.settle();
  const { proxies } = budgets.system;
  const fallbacks = await Promise.all(proxies.map((proxy) => readMetric(proxy, 'agp_proxy_budget_fallbacks_total')));
  // On a starved machine Redis answers too late, and each proxy counts its own requests only, which it says.
  const most = fallbacks.some((count) => count > 0) ? 3 * proxies.length : 3;
  for (const passed of passedOf.values()) expect([passed >= 3, passed <= most]).toEqual([true, true]);
  const { rows } = await budgets.system.database.pool.query<{ name: string; agents: number; spent: string }>(
    `SELECT name, count(DISTINCT agents.id)::int AS agents, sum(cost_usd) * 1e9 AS spent
     FROM agents JOIN daily_usage ON agent_id = agents.id WHERE name LIKE 'newcomer-%' GROUP BY name`,
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const row of rows) expect([row.agents, Number(row.spent)]).toEqual([1, (passedOf.get(row.name) ?? 0) * cost]);
});
