import type { Response } from 'express';

/** How long changes may hold reads back, and in what time, in milliseconds. However many changes come, reads get half of it. */
const maxHoldMs = 500;
const windowMs = 1_000;

/**
 * Holds reads back while a change is made. A change is a few short statements, one after the other; each would wait for the processor
 * behind the statements of lists, which take it all where Postgres has few.
 */
export class ChangesFirst {
  #running = 0;
  #hold: PromiseWithResolvers<void> | null = null;
  #heldSince = 0;
  #timer: NodeJS.Timeout | undefined;
  #windowSince = Number.NEGATIVE_INFINITY;
  #heldMs = 0;

  /** A change begins, and ends with its answer. */
  begin(response: Response): void {
    if (response.closed) return;
    this.#running += 1;
    response.once('close', () => {
      this.#running -= 1;
      if (this.#running === 0) this.#release();
    });
    const now = performance.now();
    if (now - this.#windowSince > windowMs) {
      this.#windowSince = now;
      this.#heldMs = 0;
    }
    const left = maxHoldMs - this.#heldMs;
    if (this.#hold !== null || left <= 0) return;
    this.#hold = Promise.withResolvers();
    this.#heldSince = now;
    this.#timer = setTimeout(() => this.#release(), left);
  }

  /** Resolves when no change holds reads back. */
  async calm(): Promise<void> {
    await this.#hold?.promise;
  }

  #release(): void {
    if (this.#hold === null) return;
    clearTimeout(this.#timer);
    this.#heldMs += performance.now() - this.#heldSince;
    this.#hold.resolve();
    this.#hold = null;
  }
}
