import type { FoundDoubt } from '@agp/db';
import { waitingDoubts } from '../limits.ts';

const flushEveryMs = 1_000;

/** Rows are stored behind the answers, in batches one after the other: no request waits for them. */
export abstract class BatchLog<Row> {
  readonly #store: (rows: Row[]) => Promise<void>;
  readonly #onFailure: (cause: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #failures = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor({ store, onFailure }: BatchLogOptions<Row>) {
    this.#store = store;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs);
  }

  flush(): Promise<void> {
    // One after the other, so that no row is stored twice.
    this.#flushing = this.#flushing.then(() => this.#storeAll());
    return this.#flushing;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  protected abstract take(): Row[];

  /** @param failures how often storage has failed since it last accepted any */
  protected abstract putBack(rows: Row[], failures: number): void;

  async #storeAll(): Promise<void> {
    for (let rows = this.take(); rows.length > 0; rows = this.take()) {
      try {
        await this.#store(rows);
        this.#failures = 0;
      } catch (cause) {
        this.#failures += 1;
        this.putBack(rows, this.#failures);
        this.#onFailure(cause as Error);
        return;
      }
    }
  }
}

export interface BatchLogOptions<Row> {
  store(rows: Row[]): Promise<void>;
  onFailure(cause: Error): void;
}

const rowsAtOnce = 100;
/** Tries of one batch, some minutes altogether; the metric has counted its rows. */
const tries = 300;

/** Storage may get the same row twice. No agent fills the log alone. */
export class DoubtLog extends BatchLog<FoundDoubt> {
  #waiting: FoundDoubt[] = [];

  add(doubt: FoundDoubt): void {
    const ofAgent = this.#waiting.filter(({ agentId }) => agentId === doubt.agentId).length;
    if (ofAgent < waitingDoubts.ofAgent && this.#waiting.length < waitingDoubts.all) this.#waiting.push(doubt);
  }

  protected take(): FoundDoubt[] {
    return this.#waiting.splice(0, rowsAtOnce);
  }

  protected putBack(rows: FoundDoubt[], failures: number): void {
    if (failures % tries !== 0) this.#waiting.unshift(...rows);
  }
}
