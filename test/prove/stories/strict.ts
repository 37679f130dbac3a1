import { refusalText } from '@agp/testing';
import fc from 'fast-check';
import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { WorstProvider } from '../../control/strict/answer-at-worst.ts';
import { arbitraryRequest, type StrictRequest } from '../../control/strict/arbitrary-request.ts';
import { startBudgetSystem } from '../../control/support/budget-system.ts';
import { type Report, unreported } from '../story.ts';

export interface StrictSize {
  requests: number;
  seed: number;
}

/** Requests of one agent, all sent at once. */
const burst = 25;
const agentsAtOnce = 4;

/** A cap in nano-dollars, from a cent to fifty dollars. */
const capOf = (index: number) => Math.round(1e7 * 5_000 ** ((index * 0.618) % 1));

/**
 * Sends random requests of many agents, each with a cap of its own, through a proxy with `BUDGET=strict` to a provider that
 * bills the worst reading of each: no agent is billed more than its cap, or more than is recorded as its spend.
 */
export async function runStrict({ requests: count, seed }: StrictSize, report: Report = unreported): Promise<void> {
  const provider = new WorstProvider();
  await using budgets = await startBudgetSystem(provider.answer, { proxies: 1, environment: { BUDGET: 'strict' } });
  const url = budgets.provider.url;
  const proxy = await budgets.system.start('proxy', {
    BUDGET: 'strict',
    PROVIDER_OPENAI_URL: url,
    PROVIDER_ANTHROPIC_URL: url,
    PROVIDER_GEMINI_URL: url,
    MAX_REGISTRATIONS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'fatal',
  });
  const dispatcher = new Agent({ connections: 200 });
  const requests = fc.sample(arbitraryRequest, { numRuns: count, seed });
  const answers: Record<string, number> = {};

  async function send(sent: StrictRequest, agentName: string): Promise<void> {
    const { method, target, headers, body } = sent;
    const named = { ...headers, 'x-agent-name': agentName, 'user-agent': agentName };
    const answer = await request(`${proxy.url}${target}`, {
      method: method as 'POST',
      dispatcher,
      headers: named,
      body,
    });
    const text = await answer.body.text();
    const error = answer.statusCode === 200 ? '' : refusalText(text);
    // The machine was too busy to read the agent's status in time.
    if (answer.statusCode === 503) return send(sent, agentName);
    const name = `${answer.statusCode} ${error.replace(/: .*/s, '')}`.trim();
    answers[name] = (answers[name] ?? 0) + 1;
  }

  const faults: string[] = [];
  let largestShare = 0;
  const agents = Math.ceil(count / burst);
  async function runAgent(index: number): Promise<void> {
    const agentName = `strict-${index}`;
    const cap = capOf(index);
    const models = `${proxy.url}/openai/v1/models`;
    await (await fetch(models, { headers: { 'x-agent-name': agentName } })).arrayBuffer();
    await budgets.setAgentCap(agentName, cap);
    await Promise.all(requests.slice(index * burst, (index + 1) * burst).map((each) => send(each, agentName)));
    const share = (provider.bills.get(agentName) ?? 0) / cap;
    largestShare = Math.max(largestShare, share);
    if (share > 1) faults.push(`${agentName} was billed ${share.toFixed(2)} times its cap`);
  }
  for (let index = 0; index < agents; index += agentsAtOnce) {
    await Promise.all(Array.from({ length: Math.min(agentsAtOnce, agents - index) }, (_, at) => runAgent(index + at)));
  }
  await budgets.settle();
  for (const [agentName, billed] of provider.bills) {
    const { spent } = await budgets.readState(agentName);
    // Each call's cost is rounded to a whole nano-dollar.
    if (spent + burst < billed) faults.push(`${agentName} was billed ${billed}, and ${spent} are recorded`);
  }
  await dispatcher.destroy();
  const billed = provider.bills.values().reduce((sum, bill) => sum + bill, 0);
  report({ requests: count, seed, served: provider.calls, billed: `${(billed / 1e9).toFixed(2)} USD` });
  report({ 'largest share of a cap': largestShare.toFixed(3), ...answers });
  expect(faults).toEqual([]);
  // That nothing passed would prove nothing.
  expect(provider.calls).toBeGreaterThan(count / 20);
}
