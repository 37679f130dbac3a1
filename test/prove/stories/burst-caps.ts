import { errorTable } from '@agp/core/errors';
import { expect } from 'vitest';
import { type BudgetSystem, stayWithinTheDay } from '../../control/support/budget-system.ts';
import { countResults } from '../../control/support/send-calls.ts';
import { type Report, unreported } from '../story.ts';

export interface BurstSize {
  /** Requests that are sent at once, each of which costs a tenth of the cap. */
  parallel: number;
  rounds: number;
}

/** What one request costs, in nano-dollars. */
export async function measureCost(budgets: BudgetSystem): Promise<number> {
  await stayWithinTheDay(10_000);
  const { spent: before } = await budgets.settle();
  const [measured] = await budgets.sendMany(1, () => ({ agentName: 'measured' }));
  expect(measured?.status).toBe(200);
  const { spent } = await budgets.settle();
  expect(spent).toBeGreaterThan(before);
  return spent - before;
}

/** New agents each send a burst against their own cap: ten requests pass and the cap is spent, to the nano-dollar. */
export async function burstAgentCap(
  budgets: BudgetSystem,
  cost: number,
  { parallel, rounds }: BurstSize,
  report: Report = unreported,
): Promise<void> {
  await budgets.setDefaultCap(10 * cost);
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    await stayWithinTheDay(60_000);
    const agentName = `spender-${round}`;
    // Its cap is there from the first of its requests on, which are these.
    const results = await budgets.sendMany(parallel, () => ({ agentName }));
    refused += results.filter(({ status }) => status === 429).length;
    report({ 'bursts on a cap of ten': `${round + 1} of ${parallel}`, refused });
    expect(countResults(results)).toMatchObject({ 200: 10 });
    expect(results.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    await budgets.settle();
    expect(await budgets.readState(agentName)).toEqual({ spent: 10 * cost, reserved: 0, held: 0 });
    const [late] = await budgets.sendMany(1, () => ({ agentName }));
    expect([late?.status, late?.error]).toEqual([429, errorTable.agent_budget_exceeded.message]);
  }
  await budgets.setDefaultCap(null);
}

/** The same for the global cap, which twenty agents share. */
export async function burstGlobalCap(
  budgets: BudgetSystem,
  cost: number,
  { parallel, rounds }: BurstSize,
  report: Report = unreported,
): Promise<void> {
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    await stayWithinTheDay(60_000);
    const { spent } = await budgets.settle();
    await budgets.setGlobalCap(spent + 10 * cost);
    const results = await budgets.sendMany(parallel, (index) => ({ agentName: `sharer-${round}-${index % 20}` }));
    refused += results.filter(({ status }) => status === 429).length;
    report({ 'bursts on the global cap': `${round + 1} of ${parallel}`, 'refused by it': refused });
    expect(countResults(results)).toMatchObject({ 200: 10 });
    expect(results.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    expect(await budgets.settle()).toMatchObject({ spent: spent + 10 * cost });
    const [late] = await budgets.sendMany(1, () => ({ agentName: `sharer-${round}-0` }));
    expect([late?.status, late?.error]).toEqual([429, errorTable.global_budget_exceeded.message]);
  }
  await budgets.setGlobalCap(null);
}
