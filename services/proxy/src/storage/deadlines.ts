import { Bag, TimeoutError } from '@agp/runtime';

interface Waiter {
  at: number;
  giveUp(): void;
  leave?: () => void;
}

/** Milliseconds between looks at all that wait: one timer for all, since most are answered before it fires. */
const lookEveryMs = 20;

/** Rejects work that is not done in time with a TimeoutError, at most 20 ms late; the work goes on, but nobody waits for it. */
export class Deadlines {
  readonly #waiting = new Bag<Waiter>();
  #timer: NodeJS.Timeout | null = null;

  /** @param at on the monotonic clock, in milliseconds */
  wait<Value>(work: Promise<Value>, at: number): Promise<Value> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { at, giveUp: () => reject(new TimeoutError('storage took too long')) };
      const leave = this.#waiting.add(waiter);
      waiter.leave = leave;
      this.#timer ??= setInterval(() => this.#look(), lookEveryMs);
      void work.then(resolve, reject).then(leave);
    });
  }

  #look(): void {
    const now = performance.now();
    for (const waiter of this.#waiting) {
      if (waiter.at > now) continue;
      waiter.leave?.();
      // One turn later, so that an answer which arrived while this process stalled still counts.
      setImmediate(waiter.giveUp);
    }
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
