import type { ErrorCode } from '@agp/core/errors';
import type { RefusalCount } from '@agp/db';

export interface RefusalLogOptions {
  /** Adds to what storage has; each key is given once. */
  store(counts: RefusalCount[]): Promise<void>;
  /** Told why storage failed; the counts are kept and tried again. */
  onFailure(cause: Error): void;
  /** Told of refusals that are not counted, because too many different ones wait. */
  onDrop(count: number): void;
  /** Different agents and reasons that are counted at a time, and as many again without the agent. */
  maxKeys?: number;
  /** The clock, in milliseconds since 1970 UTC. */
  now?: () => number;
}

const minuteMs = 60_000;
const flushEveryMs = 1_000;
/** Rows of one statement. */
const maxAtOnce = 1_000;

/**
 * Counts refused requests by minute, agent and reason, and hands the counts to storage every second: no refusal waits
 * for it, and a flood of them costs storage no more than a trickle. What storage does not take is kept and added to.
 */
export class RefusalLog {
  readonly #options: RefusalLogOptions;
  readonly #counts = new Map<string, RefusalCount>();
  readonly #maxKeys: number;
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: RefusalLogOptions) {
    this.#options = options;
    this.#maxKeys = options.maxKeys ?? 10_000;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs);
  }

  /**
   * @param agentId UUID; null where no registered agent is known to have sent the request
   * @param reason code of the error that it was answered with
   */
  count(agentId: string | null, reason: ErrorCode, sourceIp: string): void {
    const refusedAt = (this.#options.now ?? Date.now)();
    const minute = refusedAt - (refusedAt % minuteMs);
    this.#add({ minute, agentId, reason, count: 1, sourceIp, refusedAt });
  }

  /** Hands over what was counted; never rejects. */
  flush(): Promise<void> {
    // One after the other: counts that are under way must not be handed over twice.
    this.#flushing = this.#flushing.then(() => this.#handOver());
    return this.#flushing;
  }

  /** Hands over the last counts. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #handOver(): Promise<void> {
    while (this.#counts.size > 0) {
      const taken = [...this.#counts.values()].slice(0, maxAtOnce);
      for (const counted of taken) this.#counts.delete(toKey(counted));
      try {
        await this.#options.store(taken);
      } catch (cause) {
        for (const counted of taken) this.#add(counted);
        this.#options.onFailure(cause as Error);
        return;
      }
    }
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
    // The reason and the number are kept; of whom they were is not.
    else if (counted.agentId !== null) this.#add({ ...counted, agentId: null });
    else this.#options.onDrop(counted.count);
  }
}

const toKey = ({ minute, agentId, reason }: RefusalCount): string => `${minute} ${agentId ?? ''} ${reason}`;
