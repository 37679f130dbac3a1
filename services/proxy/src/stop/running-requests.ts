import type { RunningState } from '@agp/db';
import { Bag } from '@agp/runtime';

export type KillReason = 'agent_blocked' | 'paused';
export type StopReason = KillReason | 'proxy_stopping';

interface RunningRequest {
  /** UUID */
  agentId: string;
  stop(reason: StopReason): void;
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

  stopForbidden({ paused, blocked }: RunningState): void {
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
  warnings: { storageUnreadable(error: Error): void };
}

/** Polls, since a poll cannot be lost as a message can. While storage is away it ends nothing. */
export function watchRunning({ runningRequests, storage, warnings }: Watched): () => void {
  let isLooking = false;
  const look = async () => {
    const agents = runningRequests.listAgents();
    if (isLooking || agents.length === 0) return;
    isLooking = true;
    try {
      runningRequests.stopForbidden(await storage.readRunningStates(agents));
    } catch (error) {
      warnings.storageUnreadable(error as Error);
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  return () => clearInterval(timer);
}
