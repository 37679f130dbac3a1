import { errorTable } from '@agp/core/errors';
import { expect } from 'vitest';
import { type BudgetSystem, stayWithinTheDay } from '../../control/support/budget-system.ts';
import { countResults } from '../../control/support/send-calls.ts';
import { type Report, unreported } from '../story.ts';

export interface BurstSize {
  /** Requests that are sent at once, each of which costs a tenth of the cap. */
  parallel: number;
  rounds: number;
  /** Of Bedrock, if it is called; its refusals of a cap that is used up are 400. */
  bedrockModel?: string | undefined;
}

/** What one request costs, in nano-dollars. */
export async function measureCost(budgets: BudgetSystem, bedrockModel?: string): Promise<number> {
  await stayWithinTheDay(10_000);
  const { spent: before } = await budgets.settle();
  const [measured] = await budgets.sendMany(1, () => ({ agentName: 'measured', bedrockModel }));
  expect(measured?.status).toBe(200);
  const { spent } = await budgets.settle();
  expect(spent).toBeGreaterThan(before);
  return spent - before;
}

/** New agents each send a burst against their own cap: ten requests pass and the cap is spent, to the nano-dollar. */
export async function burstAgentCap(
  budgets: BudgetSystem,
  cost: number,
  { parallel, rounds, bedrockModel }: BurstSize,
  report: Report = unreported,
): Promise<void> {
  const status = bedrockModel ? 400 : 429;
  await budgets.setDefaultCap(10 * cost);
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    await stayWithinTheDay(60_000);
    const call = { agentName: `spender-${round}${bedrockModel ?? ''}`, bedrockModel };
    // Its cap is there from the first of its requests on, which are these.
    const results = await budgets.sendMany(parallel, () => call);
    refused += results.filter((each) => each.status !== 200).length;
    report({ 'bursts on a cap of ten': `${round + 1} of ${parallel}`, refused });
    expect(countResults(results)).toMatchObject({ 200: 10 });
    expect(results.filter((each) => ![200, 429, status].includes(each.status))).toEqual([]);
    await budgets.settle();
    expect(await budgets.readState(call.agentName)).toEqual({ spent: 10 * cost, reserved: 0, held: 0 });
    const [late] = await budgets.sendMany(1, () => call);
    expect([late?.status, late?.error]).toEqual([status, errorTable.agent_budget_exceeded.message]);
  }
  await budgets.setDefaultCap(null);
}

/** The same by Converse at Bedrock. */
export async function burstAtBedrock(budgets: BudgetSystem, size: BurstSize, report?: Report): Promise<void> {
  const bedrockModel = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
  await burstAgentCap(budgets, await measureCost(budgets, bedrockModel), { ...size, bedrockModel }, report);
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
