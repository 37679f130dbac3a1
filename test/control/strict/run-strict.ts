import fc from 'fast-check';
import { Agent, request } from 'undici';
import { startBudgetSystem } from '../support/budget-system.ts';
import { WorstProvider } from './answer-at-worst.ts';
import { arbitraryRequest, type StrictRequest } from './arbitrary-request.ts';

/** What became of many requests that were sent under caps. */
export interface StrictOutcome {
  requests: number;
  /** How often each answer came: `200`, or the refusal's status and message, without what it names. */
  answers: Record<string, number>;
  /** Calls that reached the provider. */
  calls: number;
  billedNanoUsd: number;
  /** The largest share of its cap that an agent was billed. */
  largestShare: number;
  /** Agents that were billed more than their cap, or than what is recorded as their spend. */
  faults: string[];
}

/** Requests of one agent, all sent at once. */
const burst = 25;
const agentsAtOnce = 4;

/** A cap in nano-dollars, from a cent to fifty dollars. */
const capOf = (index: number) => Math.round(1e7 * 5_000 ** ((index * 0.618) % 1));

/**
 * Sends random requests of many agents, each with a cap of its own, through a proxy with `BUDGET=strict` to a provider that
 * bills the worst reading of each.
 */
export async function runStrict(count: number, seed: number): Promise<StrictOutcome> {
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
    const { error = '' } = answer.statusCode === 200 ? {} : (JSON.parse(text) as { error?: string });
    // The machine was too busy to read the agent's status in time.
    if (answer.statusCode === 503) return send(sent, agentName);
    const name = `${answer.statusCode} ${error.replace(/bounded: .*/, 'bounded')}`.trim();
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
  await budgets.settle(60_000);
  for (const [agentName, billed] of provider.bills) {
    const { spent } = await budgets.readState(agentName);
    // Each call's cost is rounded to a whole nano-dollar.
    if (spent + burst < billed) faults.push(`${agentName} was billed ${billed}, and ${spent} are recorded`);
  }
  await dispatcher.destroy();
  const billedNanoUsd = [...provider.bills.values()].reduce((sum, bill) => sum + bill, 0);
  return { requests: count, answers, calls: provider.calls, billedNanoUsd, largestShare, faults };
}
