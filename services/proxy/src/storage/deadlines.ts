import { TimeoutError } from '@agp/runtime';

interface Waiter {
  at: number;
  giveUp(): void;
}

/** How often those that wait are looked at, in milliseconds: one timer for all, since most are answered within one. */
const lookEveryMs = 20;

/** Rejects work that is not done in time with a TimeoutError, at most 20 ms late; the work goes on, but nobody waits for it. */
export class Deadlines {
  readonly #waiting = new Set<Waiter>();
  #timer: NodeJS.Timeout | null = null;

  /** @param at on the monotonic clock, in milliseconds */
  wait<Value>(work: Promise<Value>, at: number): Promise<Value> {
    return new Promise((resolve, reject) => {
      const waiter = { at, giveUp: () => reject(new TimeoutError('storage took too long')) };
      this.#waiting.add(waiter);
      this.#timer ??= setInterval(() => this.#look(), lookEveryMs);
      void work.then(resolve, reject).then(() => this.#waiting.delete(waiter));
    });
  }

  #look(): void {
    const now = performance.now();
    for (const waiter of this.#waiting) {
      if (waiter.at > now) continue;
      this.#waiting.delete(waiter);
      // One turn later, so that an answer which arrived while this process stalled still counts.
      setImmediate(waiter.giveUp);
    }
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
