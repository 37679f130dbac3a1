const windowMs = 60_000;
const slotMs = 1_000;
const slots = windowMs / slotMs;

/** Counts what came in the last minute, second by second. */
export class RateMeter {
  readonly #counts = new Uint32Array(slots);
  #last = 0;

  /** @param now milliseconds */
  add(count: number, now: number): void {
    this.#advance(now);
    const slot = this.#last % slots;
    this.#counts[slot] = (this.#counts[slot] ?? 0) + count;
  }

  /** How many came in the minute before `now`. */
  perMinute(now: number): number {
    this.#advance(now);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  #advance(now: number): void {
    const second = Math.floor(now / slotMs);
    const passed = Math.min(slots, second - this.#last);
    for (let at = 1; at <= passed; at += 1) this.#counts[(this.#last + at) % slots] = 0;
    if (passed >= slots) this.#counts.fill(0);
    this.#last = Math.max(this.#last, second);
  }
}
