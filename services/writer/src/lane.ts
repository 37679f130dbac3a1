const maxEvents = 100;
const maxWaitMs = 100;

/** Collects items into batches of at most 100; none waits longer than 100 ms for its batch to fill. */
export class Lane<Item> {
  readonly #waiting: { item: Item; since: number }[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  add(item: Item): void {
    this.#waiting.push({ item, since: performance.now() });
    // The first item of a batch starts the clock, the last of a full one stops it.
    if (this.#waiting.length === 1 || this.#waiting.length === maxEvents) this.#wake?.();
  }

  /** Makes everything that waits due at once. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** Resolves to the next batch when it is full or due; null when the lane is closed and empty. */
  async next(): Promise<Item[] | null> {
    for (;;) {
      const [oldest] = this.#waiting;
      if (oldest === undefined) {
        if (this.#closed) return null;
        await this.#woken(null);
        continue;
      }
      const waitMs = oldest.since + maxWaitMs - performance.now();
      if (this.#closed || this.#waiting.length >= maxEvents || waitMs <= 0) {
        return this.#waiting.splice(0, maxEvents).map(({ item }) => item);
      }
      await this.#woken(waitMs);
    }
  }

  async #woken(afterMs: number | null): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (afterMs !== null) timer = setTimeout(resolve, afterMs);
    });
    clearTimeout(timer);
    this.#wake = null;
  }
}
