import type { ErrorCode } from '@agp/core/errors';
import type { RefusalCount } from '@agp/db';
import { BatchLog, type BatchLogOptions } from './batch-log.ts';

export interface RefusalLogOptions extends BatchLogOptions<RefusalCount> {
  /** Gets the number of refusals that are not counted, because too many different ones wait. */
  onDrop(count: number): void;
  /** Different agents and reasons that are counted at a time, and as many again without the agent. */
  maxKeys?: number;
  /** The clock, in milliseconds since 1970 UTC. */
  now?: () => number;
}

const minuteMs = 60_000;
/** Rows of one statement. */
const maxAtOnce = 1_000;

/**
 * Counts refused requests by minute, agent and reason on their way to storage, which adds them to its own counts. A flood of refusals
 * costs storage no more than a trickle.
 */
export class RefusalLog extends BatchLog<RefusalCount> {
  readonly #counts = new Map<string, RefusalCount>();
  readonly #onDrop: RefusalLogOptions['onDrop'];
  readonly #maxKeys: number;
  readonly #now: () => number;

  constructor({ onDrop, maxKeys = 10_000, now = Date.now, ...options }: RefusalLogOptions) {
    super(options);
    this.#onDrop = onDrop;
    this.#maxKeys = maxKeys;
    this.#now = now;
  }

  /**
   * @param agentId UUID; null if no registered agent is known to have sent the request
   * @param reason code of the error that it was answered with
   */
  count(agentId: string | null, reason: ErrorCode, sourceIp: string): void {
    const refusedAt = this.#now();
    const minute = refusedAt - (refusedAt % minuteMs);
    this.#add({ minute, agentId, reason, count: 1, sourceIp, refusedAt });
  }

  protected take(): RefusalCount[] {
    const taken = [...this.#counts.values()].slice(0, maxAtOnce);
    for (const counted of taken) this.#counts.delete(toKey(counted));
    return taken;
  }

  protected putBack(counts: RefusalCount[]): void {
    for (const counted of counts) this.#add(counted);
  }

  #add(counted: RefusalCount): void {
    const known = this.#counts.get(toKey(counted));
    if (known !== undefined) {
      known.count += counted.count;
      if (counted.refusedAt >= known.refusedAt) {
        known.sourceIp = counted.sourceIp;
        known.refusedAt = counted.refusedAt;
      }
      return;
    }
    const room = counted.agentId === null ? 2 * this.#maxKeys : this.#maxKeys;
    if (this.#counts.size < room) this.#counts.set(toKey(counted), { ...counted });
    // The reason and the number are kept, but not the agent.
    else if (counted.agentId !== null) this.#add({ ...counted, agentId: null });
    else this.#onDrop(counted.count);
  }
}

const toKey = ({ minute, agentId, reason }: RefusalCount): string => `${minute} ${agentId ?? ''} ${reason}`;
