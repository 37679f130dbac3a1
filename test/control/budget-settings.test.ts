import type { Budget, BudgetList, Limit, Pause } from '@agp/core/contracts';
import { errorTable } from '@agp/core/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';
import { answerAsReserved } from './support/send-calls.ts';

const agentName = 'governed';

let budgets: BudgetSystem;
/** What one request costs, in nano-dollars. */
let cost: number;
beforeAll(async () => {
  budgets = await startBudgetSystem(answerAsReserved(1, 50), { proxies: 2 });
  await stayWithinTheDay(60_000);
  expect((await budgets.send({ agentName })).status).toBe(200);
  cost = (await budgets.settle()).spent;
});
afterAll(() => budgets?.[Symbol.asyncDispose]());

const read = () => budgets.system.api<BudgetList>('/api/v1/budgets');
const put = <Answer>(path: string, body: unknown) =>
  budgets.system.api<Answer>(`/api/v1/${path}`, { method: 'PUT', body: JSON.stringify(body) });
const nano = (usd: number | null | undefined) => Math.round((usd ?? Number.NaN) * 1e9);

async function findAgentId(): Promise<string> {
  const { agents } = await read();
  return agents.find(({ agent_name }) => agent_name === agentName)?.agent_id ?? '';
}

test('operators see what runs as reserved, then as spent, to the nano-dollar, and no more than the cap', async () => {
  const { spent } = await budgets.settle();
  const id = await findAgentId();
  const cap = (spent + 5 * cost) / 1e9;
  expect(await put<Budget>(`budgets/agents/${id}`, { daily_cap_usd: cap })).toMatchObject({ daily_cap_usd: cap });
  const seeing = Promise.withResolvers<void>();
  budgets.provider.handle(async (received, index) => {
    await seeing.promise;
    return answerAsReserved()(received, index);
  });
  const running = budgets.sendMany(20, () => ({ agentName }));
  const seen = await waitFor('five requests to run', async () => {
    const { agents, global } = await read();
    const [budget] = agents;
    return budget !== undefined && nano(budget.reserved_usd) === 5 * cost && { budget, global };
  });
  expect(nano(seen.budget.spent_usd)).toBe(spent);
  expect(nano(seen.budget.remaining_usd)).toBe(0);
  expect(nano(seen.global.reserved_usd)).toBeGreaterThanOrEqual(5 * cost);
  seeing.resolve();
  expect((await running).filter(({ status }) => status === 200)).toHaveLength(5);
  await budgets.settle();
  const { agents } = await read();
  expect(agents).toMatchObject([{ daily_cap_usd: cap, reserved_usd: 0, remaining_usd: 0 }]);
  expect(nano(agents[0]?.spent_usd)).toBe(spent + 5 * cost);
  budgets.provider.handle(answerAsReserved(1, 50));
});

test('caps, limits and the pause hold from the next request on, on every proxy', async () => {
  const id = await findAgentId();
  const answers = () => Promise.all([0, 1].map(async (proxy) => (await budgets.send({ agentName }, proxy)).error));
  await put<Budget>(`budgets/agents/${id}`, { daily_cap_usd: null });
  expect(await answers()).toEqual([null, null]);

  await put<Budget>(`budgets/agents/${id}`, { daily_cap_usd: 0 });
  expect(await answers()).toEqual([errorTable.agent_budget_exceeded.message, errorTable.agent_budget_exceeded.message]);
  await put<Budget>(`budgets/agents/${id}`, { daily_cap_usd: 0, warn_only: true });
  expect(await answers()).toEqual([null, null]);

  await put<Budget>('budgets/global', { daily_cap_usd: 0 });
  expect(await answers()).toEqual([
    errorTable.global_budget_exceeded.message,
    errorTable.global_budget_exceeded.message,
  ]);
  await put<Budget>('budgets/global', { daily_cap_usd: null });

  await put<Limit>(`limits/agents/${id}`, { requests_per_minute: 1 });
  // One more may pass where a minute ends in between.
  const limited = [...(await answers()), ...(await answers())];
  expect(
    limited.filter((error) => error === 'rate limit exceeded: at most 1 a minute for this agent').length,
  ).toBeGreaterThanOrEqual(2);
  await put<Limit>(`limits/agents/${id}`, { requests_per_minute: null });

  await put<Pause>('pause', { paused: true });
  expect(await answers()).toEqual(Array(2).fill(expect.stringMatching(/^paused by operator since /)));
  await put<Pause>('pause', { paused: false });
  expect(await answers()).toEqual([null, null]);
});
