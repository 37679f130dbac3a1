import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredBudget } from '@agp/budgets';
import { expect } from 'vitest';
import { type BudgetSystem, startBudgetSystem } from '../../control/support/budget-system.ts';
import { answerAsReserved } from '../../control/support/send-calls.ts';
import { startProcesses } from '../../system/start-processes.ts';
import { type RunningService, waitFor } from '../../system/start-system.ts';
import { type Report, type Story, unreported } from '../story.ts';
import { measureCost } from './burst-caps.ts';

const teams = ['sales', 'support', 'legal'] as const;
/** Twelve agents, four of each team. */
export const teamAgents = teams.flatMap((team) => [1, 2, 3, 4].map((at) => ({ name: `${team}-${at}`, team })));

/** Has them known, and their teams as labels. */
export async function labelTeams(budgets: BudgetSystem): Promise<void> {
  for (const { name, team } of teamAgents) {
    await budgets.send({ agentName: name, path: 'models' });
    const values = [name, JSON.stringify({ team })];
    await budgets.system.database.pool.query('UPDATE agents SET metadata = $2 WHERE name = $1', values);
  }
}

export const listBudgets = (budgets: BudgetSystem) => budgets.system.api<StoredBudget[]>('/api/v1/budgets/list');

/** Makes a budget, or replaces the one with the id, and waits until it is counted. */
export async function makeBudget(budgets: BudgetSystem, budget: object, id?: string): Promise<StoredBudget> {
  const path = `/api/v1/budgets${id === undefined ? '' : `/${id}`}`;
  const body = JSON.stringify(budget);
  const made = await budgets.system.api<StoredBudget>(path, { method: id === undefined ? 'POST' : 'PUT', body });
  return await waitFor('what it counts', async () =>
    (await listBudgets(budgets)).find((each) => each.id === made.id && each.is_counted),
  );
}

interface Size {
  /** Requests at once. */
  parallel: number;
  /** Is done while they run. */
  disturb?: () => Promise<unknown>;
}

/** Five budgets of five windows count the same calls: none is passed, and the refusals name those without room. */
export async function spendOverlapping(
  budgets: BudgetSystem,
  cost: number,
  { parallel, disturb }: Size,
  report: Report = unreported,
): Promise<void> {
  const usd = (calls: number) => Number(((calls * cost) / 1e9).toFixed(9));
  const watched = await makeBudget(budgets, { name: 'all', amount: 1_000, window: 'total' });
  const before = watched.uses[0]?.used ?? 0;
  const amount = Number((before + usd(20)).toFixed(9));
  await makeBudget(budgets, { ...watched.budget, amount }, watched.id);
  const ofSales = { match: { labels: { team: ['sales'] } }, amount: usd(7), window: 'rolling:1' };
  const ofEach = { match: { agents: ['support-*'] }, split_by: 'agent', unit: 'requests', amount: 2, window: 'week' };
  const ofTeam = { split_by: 'label:team', unit: 'tokens', amount: 1_500, window: 'month', zone: 'Asia/Kolkata' };
  const watch = { match: { models: ['gpt-*'] }, amount: 0, window: 'day', on_exceeded: 'warn' };
  for (const [name, budget] of Object.entries({ sales: ofSales, each: ofEach, team: ofTeam, watch }))
    await makeBudget(budgets, { name, ...budget });
  const [results] = await Promise.all([
    budgets.sendMany(parallel, (index) => ({ agentName: teamAgents[index % teamAgents.length]?.name ?? '' })),
    disturb?.(),
  ]);
  await budgets.settle();
  const served = results.filter(({ status }) => status === 200);
  const refusing = new Set(results.flatMap(({ headers }) => headers['x-budget-name']?.toString() ?? []));
  report({ 'requests at once': parallel, served: served.length, 'budgets that refused': [...refusing].sort().join() });

  const end = await listBudgets(budgets);
  const usesOf = (name: string) => end.find(({ budget }) => budget.name === name)?.uses ?? [];
  // The provider's bill: each call that it answered costs the same.
  expect((usesOf('all')[0]?.used ?? 0) - before).toBeCloseTo(usd(served.length), 9);
  for (const { budget, uses } of end)
    if (budget.on_exceeded === 'refuse')
      for (const { used, held } of uses) expect([used <= budget.amount, held]).toEqual([true, 0]);
  expect(usesOf('each').filter(({ name }) => !name?.startsWith('support-'))).toEqual([]);
  const { rows } = await budgets.system.database.pool.query<{ team: string; tokens: number }>(
    `SELECT labels->>'team' AS team, sum(total_tokens)::integer AS tokens FROM events
     WHERE labels IS NOT NULL AND counts_as_request GROUP BY 1 HAVING sum(total_tokens) > 0`,
  );
  const tokensOf = Object.fromEntries(usesOf('team').flatMap(({ key, used }) => (used > 0 ? [[key, used]] : [])));
  expect(tokensOf).toEqual(Object.fromEntries(rows.map(({ team, tokens }) => [team, tokens])));
  expect(results.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  expect(refusing.size).toBeGreaterThan(0);
  expect([...refusing].filter((name) => !['all', 'sales', 'each', 'team'].includes(name))).toEqual([]);
  for (const { headers } of served) expect(headers['x-agp-budget-warning']).toBe('watch');
}

export const overlappingBudgetsStory = (isShort: boolean): Story => ({
  name: 'budgets',
  promise:
    'Of 200 requests at once through three proxies, with one of two writers killed, none of five budgets that overlap is passed, and their sums are the bill.',
  async run(report) {
    const options = { writers: 2, within: ['management' as const] };
    await using budgets = await startBudgetSystem(answerAsReserved(1, 100), options, startProcesses);
    const cost = await measureCost(budgets);
    await labelTeams(budgets);
    const [writer] = budgets.system.writers as (RunningService & { kill(): Promise<void> })[];
    const disturb = () => sleep(150).then(() => writer?.kill());
    await spendOverlapping(budgets, cost, { parallel: isShort ? 60 : 200, disturb }, report);
  },
});
