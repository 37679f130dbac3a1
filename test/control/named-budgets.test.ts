import type { StoredBudget } from '@agp/budgets';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { measureCost } from '../prove/stories/burst-caps.ts';
import { waitFor } from '../system/start-system.ts';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';
import { answerAsReserved, type CallResult, pricedModel } from './support/send-calls.ts';

let budgets: BudgetSystem;
/** What one request costs, in nano-dollars. */
let cost: number;
const teams = ['sales', 'support', 'legal'] as const;
/** Twelve agents, four of each team. */
const agents = teams.flatMap((team) => [1, 2, 3, 4].map((at) => ({ name: `${team}-${at}`, team })));

beforeAll(async () => {
  budgets = await startBudgetSystem(answerAsReserved(1, 20), { writers: 2 });
  cost = await measureCost(budgets);
  for (const { name, team } of agents) {
    await budgets.send({ agentName: name, path: 'models' });
    await budgets.system.database.pool.query(`UPDATE agents SET metadata = $2 WHERE name = $1`, [
      name,
      JSON.stringify({ team }),
    ]);
  }
});
afterAll(() => budgets?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await stayWithinTheDay(60_000);
  for (const { id } of await list()) await remove(id);
  await budgets.settle();
});

const list = () => budgets.system.api<StoredBudget[]>('/api/v1/budgets/list');
const find = async (name: string) => (await list()).find(({ budget }) => budget.name === name) as StoredBudget;

async function make(budget: object, at?: string): Promise<StoredBudget> {
  const made = await budgets.system.api<StoredBudget>(`/api/v1/budgets${at ? `/${at}` : ''}`, {
    method: at ? 'PUT' : 'POST',
    body: JSON.stringify(budget),
  });
  await waitFor('what it counts', async () => (await find(made.budget.name)).is_counted);
  return await find(made.budget.name);
}

async function remove(id: string): Promise<void> {
  const headers = { authorization: `Bearer ${budgets.system.apiKey}` };
  const { status } = await fetch(`${budgets.system.management.url}/api/v1/budgets/${id}`, {
    method: 'DELETE',
    headers,
  });
  expect(status).toBe(204);
}

const usd = (calls: number) => Number(((calls * cost) / 1e9).toFixed(9));
const passed = (results: readonly CallResult[]) => results.filter(({ status }) => status === 200).length;
/** Names of the budgets that refused. */
const refusing = (results: readonly CallResult[]) =>
  new Set(results.flatMap(({ headers }) => headers['x-budget-name']?.toString() ?? []));

test('budgets that overlap are none of them passed by parallel calls, and each refusal names the one without room', async () => {
  const before = (await make({ name: 'all', amount: 1_000, window: 'total' })).uses[0]?.used ?? 0;
  const amount = Number((before + usd(20)).toFixed(9));
  const all = await find('all');
  await make({ ...all.budget, amount }, all.id);
  await make({ name: 'sales', match: { labels: { team: ['sales'] } }, amount: usd(7), window: 'rolling:1' });
  await make({
    name: 'each',
    match: { agents: ['support-*'] },
    split_by: 'agent',
    unit: 'requests',
    amount: 2,
    window: 'week',
  });
  await make({
    name: 'team',
    split_by: 'label:team',
    unit: 'tokens',
    amount: 1_500,
    window: 'month',
    zone: 'Asia/Kolkata',
  });
  await make({ name: 'watch', match: { models: ['gpt-*'] }, amount: 0, window: 'day', on_exceeded: 'warn' });
  const counts = () => list().then((all) => Object.fromEntries(all.map(({ budget, uses }) => [budget.name, uses])));
  const start = await counts();
  const results = await budgets.sendMany(60, (index) => ({ agentName: agents[index % 12]?.name ?? '' }));
  const held = results.filter(({ error }) => error?.includes('held'));
  expect(held.length).toBeLessThan(60);
  await budgets.settle();
  const end = await counts();
  const used = (name: string, key = '') =>
    (end[name]?.find((use) => use.key === key)?.used ?? 0) - (start[name]?.find((use) => use.key === key)?.used ?? 0);
  expect(used('all')).toBeCloseTo(usd(passed(results)), 9);
  for (const { budget, uses } of await list())
    if (budget.on_exceeded === 'refuse') for (const { used: of } of uses) expect(of).toBeLessThanOrEqual(budget.amount);
  expect(used('sales')).toBeLessThanOrEqual(usd(7));
  expect(end.each?.map(({ name }) => name?.startsWith('support-'))).toEqual(end.each?.map(() => true));
  expect(new Set(end.team?.map(({ key }) => key))).toEqual(new Set(teams));
  const byTeam = teams.map((team) => used('team', team)).reduce((sum, each) => sum + each, 0);
  const { rows } = await budgets.system.database.pool.query<{ tokens: number }>(
    `SELECT sum(total_tokens)::integer AS tokens FROM events WHERE labels IS NOT NULL AND model LIKE 'gpt%'`,
  );
  expect(end.team?.reduce((sum, use) => sum + use.used, 0)).toBe(rows[0]?.tokens);
  expect(byTeam).toBeGreaterThan(0);
  for (const name of refusing(results)) expect(['all', 'sales', 'each', 'team']).toContain(name);
  for (const { status, headers } of results.filter(({ status }) => status === 200)) {
    expect(status).toBe(200);
    expect(headers['x-agp-budget-warning']).toBe('watch');
  }
});

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
  const flow = budgets.sendMany(40, (index) => ({ agentName: agents[index % 12]?.name ?? '' }));
  const made = await make({ name: 'moving', match: { labels: { team: ['sales'] } }, amount: 1_000, window: 'total' });
  await budgets.system
    .api(`/api/v1/agents/${await idOf('legal-1')}/labels`, {
      method: 'PUT',
      body: JSON.stringify({ labels: { team: 'sales' } }),
    })
    .catch(() => undefined);
  await make({ ...made.budget, match: { labels: { team: ['sales', 'support'] } } }, made.id);
  await flow;
  await budgets.settle();
  const { rows } = await budgets.system.database.pool.query<{ usd: number }>(
    `SELECT sum(cost_usd)::float8 AS usd FROM events WHERE labels->>'team' IN ('sales', 'support')`,
  );
  expect((await find('moving')).uses[0]?.used).toBeCloseTo(Number(rows[0]?.usd), 9);
});

async function idOf(name: string): Promise<string> {
  const agents = await budgets.system.api<{ id: string }[]>(`/api/v1/agents?search=${name}`);
  return agents[0]?.id ?? '';
}
