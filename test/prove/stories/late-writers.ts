import { setTimeout as sleep } from 'node:timers/promises';
import { answerCanned } from '@agp/testing/providers';
import { expect } from 'vitest';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from '../../control/support/budget-system.ts';
import { startProcesses } from '../../system/start-processes.ts';
import type { Report, Story } from '../story.ts';
import { measureCost } from './burst-caps.ts';

/** More tokens than any request of this story reserves. */
const output = 20_000;

interface Size {
  /** Each has a cap that two calls pass, and sends one call after the other, to the next proxy each time. */
  agents: number;
  each: number;
  stoppedMs: number;
}

/** @returns how many were served, one after the other */
async function sendInTurn(budgets: BudgetSystem, agentName: string, count: number): Promise<number> {
  let served = 0;
  for (let sent = 0; sent < count; ) {
    const { status, error } = await budgets.send({ agentName }, sent % budgets.urls.length);
    // The machine was too busy to read the agent's status in time.
    if (status === 503) continue;
    sent += 1;
    if (status === 200) served += 1;
    else expect([status, error]).toEqual([429, 'daily budget held by requests in flight']);
  }
  return served;
}

async function stopWriters({ agents, each, stoppedMs }: Size, report: Report): Promise<void> {
  await stayWithinTheDay(120_000);
  const options = { writers: 2, within: ['management' as const] };
  await using budgets = await startBudgetSystem(answerCanned({ output }), options, startProcesses);
  const cost = await measureCost(budgets);
  const { spent: before } = await budgets.settle();
  await budgets.setDefaultCap(1.5 * cost);
  const { writers } = budgets.system;
  for (const { child } of writers) child.kill('SIGSTOP');
  const over = sleep(stoppedMs);
  const names = Array.from({ length: agents }, (_, index) => `late-${index}`);
  const served = await Promise.all(names.map((name) => sendInTurn(budgets, name, each)));
  await over;
  // Nothing was recorded meanwhile: the caps held by what is known of each call's cost.
  expect((await budgets.readState()).spent).toBe(before);
  for (const { child } of writers) child.kill('SIGCONT');
  const all = served.reduce((sum, count) => sum + count, 0);
  report({
    agents,
    requests: agents * each,
    'served at most, of a cap of 1.5 calls': Math.max(...served),
    served: all,
  });
  expect((await budgets.settle()).spent).toBe(before + all * cost);
  expect(new Set(served)).toEqual(new Set([2]));
}

export const lateWritersStory = (isShort: boolean): Story => ({
  name: 'late-writers',
  promise:
    'With the writers stopped for ten seconds and 200 agents at once at three proxies, no cap is passed by more than one call.',
  run: (report) =>
    stopWriters(isShort ? { agents: 20, each: 4, stoppedMs: 0 } : { agents: 200, each: 6, stoppedMs: 10_000 }, report),
});
