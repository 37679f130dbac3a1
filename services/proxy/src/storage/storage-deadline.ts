/** When a request gives storage up. Time spent waiting for Redis or for an issuer does not count. */
export class StorageDeadline {
  #at: number;

  /** In milliseconds on the monotonic clock. */
  constructor(at: number) {
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  /** Waits for something that is not storage. */
  async pause<Answer>(waiting: Promise<Answer>): Promise<Answer> {
    const from = performance.now();
    try {
      return await waiting;
    } finally {
      this.#at += performance.now() - from;
    }
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
