import type { RunningState } from '@agp/db';

/** Why the kill switch ends a running request. */
export type KillReason = 'agent_blocked' | 'paused';
/** Why a running request is ended: by the kill switch, or because this process stops. */
export type StopReason = KillReason | 'proxy_stopping';

/** A call to a provider that can be ended. */
interface RunningRequest {
  /** UUID */
  agentId: string;
  stop(reason: StopReason): void;
}

/** The calls to providers that this process has open. */
export class RunningRequests {
  readonly #running = new Set<RunningRequest>();

  /** @returns removes it again */
  add(request: RunningRequest): () => void {
    this.#running.add(request);
    return () => this.#running.delete(request);
  }

  /** UUIDs of the agents that are being served. */
  listAgents(): string[] {
    return [...new Set([...this.#running].map(({ agentId }) => agentId))];
  }

  /** Ends all. @returns how many there were */
  stopAll(): number {
    const all = [...this.#running];
    for (const request of all) request.stop('proxy_stopping');
    return all.length;
  }

  /** Ends the requests that the kill switch forbids. */
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

/**
 * Polls the state of the agents that are being served: unlike a message, a poll cannot be lost. While storage is away nothing is
 * ended, since running requests were admitted.
 *
 * @returns stops looking
 */
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
