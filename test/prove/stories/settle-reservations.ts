import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UnrecordedRequest } from '@agp/core/contracts';
import type { Handler } from '@agp/testing/providers';
import { expect } from 'vitest';
import type { BudgetSystem } from '../../control/support/budget-system.ts';
import { endLeases } from '../../control/support/end-leases.ts';
import { answerAsReserved } from '../../control/support/send-calls.ts';
import type { ServiceProcess } from '../../system/start-processes.ts';
import { waitFor } from '../../system/start-system.ts';
import { type Report, unreported } from '../story.ts';

/** What becomes of a request is in its path; those that wait do so until `release`. */
export function answerByFate(): { answer: Handler; release: () => void } {
  const patience = Promise.withResolvers<void>();
  const answer: Handler = async (received, index) => {
    if (received.target.includes('waits')) {
      await patience.promise;
      return { body: {} };
    }
    if (received.target.includes('fails')) return { status: 500, body: { error: { message: 'no' } } };
    if (received.target.includes('breaks')) return { cut: true };
    if (received.target.includes('hangs')) return { hang: true };
    return answerAsReserved(1, 20)(received, index);
  };
  return { answer, release: patience.resolve };
}

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

async function sendOneOfEach(budgets: BudgetSystem<ServiceProcess>, index: number): Promise<void> {
  const agentName = `mixed-${index % 17}`;
  const proxy = index % budgets.urls.length;
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

const waitForHeld = (budgets: BudgetSystem<ServiceProcess>, held: number) =>
  waitFor(`${held} reservations`, async () => {
    const state = await budgets.readState();
    return state.held === held && state;
  });

export interface SettleSize {
  requests: number;
  atOnce: number;
  /** Running in the proxy that is killed. */
  killed: number;
}

/**
 * After requests that complete, fail, break, are refused or abandoned nothing stays reserved; what a killed proxy held is noted once
 * its lease has ended, and what runs on elsewhere stays.
 *
 * @param release of {@link answerByFate}
 */
export async function settleReservations(
  budgets: BudgetSystem<ServiceProcess>,
  release: () => void,
  { requests, atOnce, killed }: SettleSize,
  report: Report = unreported,
): Promise<void> {
  await budgets.sendMany(1, () => ({ agentName: 'owner', headers: { 'x-session-id': 'ses_of_another' } }));
  await budgets.sendMany(1, () => ({ agentName: 'refused' }));
  await budgets.setAgentCap('refused', 0);
  let next = 0;
  const worker = async () => {
    while (next < requests) {
      const index = next;
      next += 1;
      await sendOneOfEach(budgets, index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  // Within a lease, which none of these needs to run out.
  await budgets.settle();
  report({ requests, 'left reserved': 0 });

  // Begun before those that are to be noted, and renewed for as long as it runs.
  const before = budgets.provider.requests.length;
  const patient = budgets.send({ agentName: 'patient', path: 'waits' }, 1);
  const { reserved } = await waitForHeld(budgets, 1);
  for (let index = 0; index < killed; index += 1) abandon(budgets.urls[0] ?? '', `killed-${index % 7}`);
  // What is killed between its reservation and its provider has cost nothing, and is not noted.
  await waitFor('all of it at the provider', () => budgets.provider.requests.length > before + killed);
  expect((await waitForHeld(budgets, killed + 1)).reserved).toBeGreaterThan(reserved);
  await budgets.system.proxies[0]?.kill();
  expect(await budgets.readState()).toMatchObject({ held: killed + 1 });
  const { rows } = await budgets.system.database.pool.query("SELECT id FROM agents WHERE name = 'patient'");
  await endLeases(budgets.system.stack.redisUrl, (agentId) => agentId === rows[0]?.id);
  expect(await waitForHeld(budgets, 1)).toMatchObject({ reserved });
  const unrecorded = await budgets.system.api<UnrecordedRequest[]>('/api/v1/costs/unrecorded');
  report({ 'running when the proxy was killed': killed, 'noted of these': unrecorded.length });
  expect(unrecorded).toHaveLength(killed);
  expect(unrecorded.every(({ agent_name }) => agent_name?.startsWith('killed-'))).toBe(true);
  release();
  expect((await patient).status).toBe(200);
  await budgets.settle();
}
