import type { RunningState } from '@agp/db';
import type { RuleSet } from '@agp/policy';
import { Bag, every } from '@agp/runtime';
import type { StopReason } from '../journey.ts';

interface RunningRequest {
  /** UUID */
  agentId: string;
  stop(reason: Exclude<StopReason, 'policy_denied'>): void;
  /** Stops it if policies forbid it that end what is under way. */
  judgeAgain?(rules: RuleSet): void;
}

export class RunningRequests {
  readonly #running = new Bag<RunningRequest>();

  add(request: RunningRequest): () => void {
    return this.#running.add(request);
  }

  /** UUIDs. */
  listAgents(): string[] {
    return [...new Set([...this.#running].map(({ agentId }) => agentId))];
  }

  /** @returns how many there were */
  stopAll(): number {
    const all = [...this.#running];
    for (const request of all) request.stop('proxy_stopping');
    return all.length;
  }

  judgeAgain(rules: RuleSet): void {
    for (const request of this.#running) request.judgeAgain?.(rules);
  }

  stopForbidden({ paused, blocked }: Pick<RunningState, 'paused' | 'blocked'>): void {
    for (const request of this.#running) {
      if (blocked.has(request.agentId)) request.stop('agent_blocked');
      else if (paused) request.stop('paused');
    }
  }
}

/** With the time of the query itself, a stop takes effect within a second. */
const lookEveryMs = 500;

interface Watched {
  runningRequests: RunningRequests;
  storage: { readRunningStates(agentIds: string[]): Promise<RunningState> };
  rules: { at(version: number, deadline: number): Promise<RuleSet> };
  warnings: { storageUnreadable(error: Error): void };
}

/** Polls, since a poll cannot be lost as a message can. While storage is away it ends nothing. */
export function watchRunning({ runningRequests, storage, rules, warnings }: Watched): () => Promise<void> {
  const look = async () => {
    const agents = runningRequests.listAgents();
    if (agents.length === 0) return;
    const states = await storage.readRunningStates(agents);
    runningRequests.stopForbidden(states);
    if (states.policyVersion > 0)
      runningRequests.judgeAgain(await rules.at(states.policyVersion, performance.now() + lookEveryMs));
  };
  return every(lookEveryMs, look, warnings.storageUnreadable);
}
