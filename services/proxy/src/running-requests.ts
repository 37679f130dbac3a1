import type { RunningState } from '@agp/db';

/** Why a running request is ended. */
export type StopReason = 'agent_blocked' | 'paused';

/** A call to a provider that can be ended. */
export interface RunningRequest {
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

  /** Ends what must not go on. */
  stopAsTold({ paused, blocked }: RunningState): void {
    for (const request of this.#running) {
      if (blocked.has(request.agentId)) request.stop('agent_blocked');
      else if (paused) request.stop('paused');
    }
  }
}

/** With the look itself, a stop takes effect within a second (architecture.md). */
const lookEveryMs = 500;

/**
 * Looks at the agents that are being served right now, for as long as the process runs: there is no message that could be
 * lost. While storage is away nothing is ended; what runs was admitted.
 *
 * @returns stops looking
 */
export function watchRunning(
  requests: RunningRequests,
  read: (agentIds: string[]) => Promise<RunningState>,
  onFailure: (error: Error) => void,
): () => void {
  let isLooking = false;
  const look = async () => {
    const agents = requests.listAgents();
    if (isLooking || agents.length === 0) return;
    isLooking = true;
    try {
      requests.stopAsTold(await read(agents));
    } catch (error) {
      onFailure(error as Error);
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  return () => clearInterval(timer);
}
