/** When a request gives storage up. Time spent waiting for Redis does not count. */
export class StorageDeadline {
  #at: number;

  /** In milliseconds on the monotonic clock. */
  constructor(at: number) {
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

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
