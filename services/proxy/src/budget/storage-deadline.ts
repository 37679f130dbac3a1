/** When a request gives storage up. What it waits for Redis in vain puts that off: it is no fault of storage, which still has its time. */
export class StorageDeadline {
  #at: number;

  /** @param at on the monotonic clock, in milliseconds */
  constructor(at: number) {
    this.#at = at;
  }

  /** On the monotonic clock, in milliseconds. */
  get at(): number {
    return this.#at;
  }

  /** Waits for an answer of Redis; where none comes, the time that took is given back. */
  async ask<Answer>(asking: Promise<Answer>): Promise<Answer> {
    const from = performance.now();
    try {
      return await asking;
    } catch (error) {
      this.#at += performance.now() - from;
      throw error;
    }
  }
}
