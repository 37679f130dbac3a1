const flushEveryMs = 1_000;

/** Rows on their way to storage, written behind the answers in batches, one after the other: no request waits for them. */
export abstract class BatchLog<Row> {
  readonly #store: (rows: Row[]) => Promise<void>;
  readonly #onFailure: (cause: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #failures = 0;
  #flushing: Promise<void> = Promise.resolve();

  /** @param onFailure gets the cause when storage fails; the rows are then tried again */
  constructor({ store, onFailure }: BatchLogOptions<Row>) {
    this.#store = store;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs);
  }

  /** Stores the waiting rows; never rejects. */
  flush(): Promise<void> {
    // One after the other, so that no row is stored twice.
    this.#flushing = this.#flushing.then(() => this.#storeAll());
    return this.#flushing;
  }

  /** Stores the last rows. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** Removes the rows of the next statement from those that wait; empty if none wait. */
  protected abstract take(): Row[];

  /**
   * Takes back rows that storage did not accept.
   *
   * @param failures how often storage has failed since it last accepted any
   */
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
