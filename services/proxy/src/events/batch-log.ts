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
