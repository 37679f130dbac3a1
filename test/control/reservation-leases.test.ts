import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UnrecordedRequest } from '@agp/core/contracts';
import type { Handler } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { startProcesses } from '../system/start-processes.ts';
import { waitFor } from '../system/start-system.ts';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';
import { endLeases } from './support/end-leases.ts';
import { answerAsReserved } from './support/send-calls.ts';

const patience = Promise.withResolvers<void>();

/** What becomes of a request is in its path. */
const answerByFate: Handler = async (received, index) => {
  if (received.target.includes('waits')) {
    await patience.promise;
    return { body: {} };
  }
  if (received.target.includes('fails')) return { status: 500, body: { error: { message: 'no' } } };
  if (received.target.includes('breaks')) return { cut: true };
  if (received.target.includes('hangs')) return { hang: true };
  return answerAsReserved(1, 20)(received, index);
};

/** Sends a request that the provider never answers, and leaves after `ms`; for ever if not given. */
function abandon(url: string, agentName: string, ms?: number): void {
  const sent = request(`${url}/openai/v1/hangs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agentName },
  });
  sent.on('error', () => {});
  sent.end('{}');
  if (ms !== undefined) setTimeout(() => sent.destroy(), ms);
}

async function sendOneOfEach(budgets: BudgetSystem, index: number): Promise<void> {
  const agentName = `mixed-${index % 17}`;
  const proxy = index % 3;
  const fate = index % 10;
  if (fate < 5) await budgets.send({ agentName }, proxy);
  else if (fate === 5) await budgets.send({ agentName, path: 'fails' }, proxy);
  else if (fate === 6) await budgets.send({ agentName, path: 'breaks' }, proxy);
  else if (fate === 7) await budgets.send({ agentName: 'refused' }, proxy);
  // Another agent's session.
  else if (fate === 8) await budgets.send({ agentName, headers: { 'x-session-id': 'ses_of_another' } }, proxy);
  else {
    abandon(budgets.urls[proxy] ?? '', agentName, 50);
    await sleep(60);
  }
}

test('after 1,000 requests that complete, fail, break, are refused or abandoned, nothing stays reserved; what a killed proxy held is noted once its lease has ended, and what runs on stays', async () => {
  await stayWithinTheDay(120_000);
  await using budgets = await startBudgetSystem(answerByFate, {}, startProcesses);
  await budgets.send({ agentName: 'owner', headers: { 'x-session-id': 'ses_of_another' } });
  await budgets.send({ agentName: 'refused' });
  await budgets.setAgentCap('refused', 0);
  let next = 0;
  const worker = async () => {
    while (next < 1_000) {
      const index = next;
      next += 1;
      await sendOneOfEach(budgets, index);
    }
  };
  await Promise.all(Array.from({ length: 50 }, worker));
  // Well within a lease, which none of these needs to run out.
  await budgets.settle(10_000);

  // Begun before those that are to be forgotten, and renewed for as long as it runs.
  const patient = budgets.send({ agentName: 'patient', path: 'waits' }, 1);
  const { reserved } = await waitForHeld(budgets, 1);
  for (let index = 0; index < 40; index += 1) abandon(budgets.urls[0] ?? '', `killed-${index % 7}`);
  expect((await waitForHeld(budgets, 41)).reserved).toBeGreaterThan(reserved);
  await budgets.system.proxies[0]?.kill();
  expect(await budgets.readState()).toMatchObject({ held: 41 });
  const { rows } = await budgets.system.database.pool.query("SELECT id FROM agents WHERE name = 'patient'");
  await endLeases(budgets.system.stack.redisUrl, (agentId) => agentId === rows[0]?.id);
  expect(await waitForHeld(budgets, 1)).toMatchObject({ reserved });
  const unrecorded = await budgets.system.api<UnrecordedRequest[]>('/api/v1/costs/unrecorded');
  expect(unrecorded).toHaveLength(40);
  expect(unrecorded.every(({ agent_name }) => agent_name?.startsWith('killed-'))).toBe(true);
  patience.resolve();
  expect((await patient).status).toBe(200);
  await budgets.settle();
}, 120_000);

const waitForHeld = (budgets: BudgetSystem, held: number) =>
  waitFor(`${held} reservations`, async () => {
    const state = await budgets.readState();
    return state.held === held && state;
  });
