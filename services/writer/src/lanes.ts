const batchEvents = 100;
const batchWaitMs = 100;

export interface Batch<Item> {
  items: Item[];
  release(): void;
}

interface Waiting<Item> {
  item: Item;
  /** On the monotonic clock, in milliseconds. */
  since: number;
}

/**
 * Batches of at most 100 items; none waits longer than 100 ms for its batch to fill, once its lane is free. Items of a lane keep their
 * order.
 * At low traffic one batch takes from all free lanes, which costs less, but then one slow batch delays every lane.
 */
export class Lanes<Item> {
  readonly #lanes: Waiting<Item>[][];
  readonly #held = new Set<Waiting<Item>[]>();
  #wake: (() => void) | null = null;
  #closed = false;

  constructor(count: number) {
    this.#lanes = Array.from({ length: count }, () => []);
  }

  add(lane: number, item: Item): void {
    const waiting = this.#lanes[lane];
    if (waiting === undefined) throw new RangeError(`there is no lane ${lane}`);
    waiting.push({ item, since: performance.now() });
    if (this.#held.has(waiting)) return;
    const count = this.#countFree();
    if (count === 1 || count === batchEvents) this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** It is to be delivered again. */
  clear(): void {
    for (const lane of this.#lanes) lane.length = 0;
    this.#wake?.();
  }

  /** Null when this is closed and nothing waits any more. */
  async next(): Promise<Batch<Item> | null> {
    for (;;) {
      const [first] = this.#listFree();
      if (first === undefined) {
        if (this.#closed && this.#lanes.every((lane) => lane.length === 0)) return null;
        await this.#woken(null);
        continue;
      }
      const waitMs = (first[0]?.since ?? 0) + batchWaitMs - performance.now();
      if (this.#closed || this.#countFree() >= batchEvents || waitMs <= 0) return this.#take();
      await this.#woken(waitMs);
    }
  }

  /** The one that has waited longest first. */
  #listFree(): Waiting<Item>[][] {
    const free = this.#lanes.filter((lane) => lane.length > 0 && !this.#held.has(lane));
    return free.sort(([one], [other]) => (one?.since ?? 0) - (other?.since ?? 0));
  }

  #countFree(): number {
    return this.#lanes.reduce((sum, lane) => (this.#held.has(lane) ? sum : sum + lane.length), 0);
  }

  #take(): Batch<Item> {
    const items: Item[] = [];
    const taken: Waiting<Item>[][] = [];
    for (const lane of this.#listFree()) {
      if (items.length >= batchEvents) break;
      for (const { item } of lane.splice(0, batchEvents - items.length)) items.push(item);
      taken.push(lane);
      this.#held.add(lane);
    }
    return {
      items,
      release: () => {
        for (const lane of taken) this.#held.delete(lane);
        this.#wake?.();
      },
    };
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
