import type { DoubtfulUsage } from '@agp/db';

export interface DoubtLogOptions {
  /** Safe to be called again with the same. */
  store(doubts: DoubtfulUsage[]): Promise<void>;
  /** Told why storage failed; the rows are kept and tried again. */
  onFailure(cause: Error): void;
  /** Rows that wait, of one agent and of all. */
  maxOfAgent?: number;
  maxWaiting?: number;
}

const flushEveryMs = 1_000;
/** Rows of one statement. */
const maxAtOnce = 100;
/** Tries of one row, some minutes altogether; the metric has counted it. */
const maxTries = 300;

/** Hands calls that are doubted to storage, after their answers: no request waits for it, and no agent fills it alone. */
export class DoubtLog {
  readonly #options: DoubtLogOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting: DoubtfulUsage[] = [];
  readonly #ofAgent = new Map<string, number>();
  #failures = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: DoubtLogOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs);
  }

  /** What there is no room for is left out. */
  add(doubt: DoubtfulUsage): void {
    const { maxOfAgent = 200, maxWaiting = 2_000 } = this.#options;
    const ofAgent = this.#ofAgent.get(doubt.agentId) ?? 0;
    if (ofAgent >= maxOfAgent || this.#waiting.length >= maxWaiting) return;
    this.#waiting.push(doubt);
    this.#ofAgent.set(doubt.agentId, ofAgent + 1);
  }

  /** Hands over what waits; never rejects. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#handOver());
    return this.#flushing;
  }

  /** Hands over the last ones. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #handOver(): Promise<void> {
    while (this.#waiting.length > 0) {
      const some = this.#waiting.slice(0, maxAtOnce);
      try {
        await this.#options.store(some);
      } catch (cause) {
        this.#options.onFailure(cause as Error);
        this.#failures += 1;
        if (this.#failures < maxTries) return;
      }
      this.#failures = 0;
      this.#waiting = this.#waiting.slice(some.length);
      for (const { agentId } of some) this.#forget(agentId);
    }
  }

  #forget(agentId: string): void {
    const left = (this.#ofAgent.get(agentId) ?? 0) - 1;
    if (left > 0) this.#ofAgent.set(agentId, left);
    else this.#ofAgent.delete(agentId);
  }
}
