import { ApiError } from '@agp/core/errors';
import type { DocumentsAt } from '@agp/db';
import { inTurns } from '@agp/runtime';

interface Options<Row, Held> {
  /** Reads all documents and their version, after it is called. */
  read(deadline: number): Promise<DocumentsAt<Row>>;
  /** Makes them ready, or in steps if that takes long. @param held what was known before @throws if this version of the proxy cannot read one */
  prepare(stored: DocumentsAt<Row>, held: Held | null): Held | Generator<undefined, Held>;
  /** Gets an error that names what cannot be read. */
  onUnreadable(error: Error): void;
}

/** The documents of a kind, read again as soon as a request's own read shows another version. */
export class Versioned<Row, Held extends { version: number }> {
  readonly #options: Options<Row, Held>;
  #held: Held | null = null;
  #preparing: { version: number; made: Promise<Held> } | null = null;
  /** Reads that began, and the one of them that is held: after a failover a version may be an earlier one. */
  #reads = { begun: 0, held: 0 };

  constructor(options: Options<Row, Held>) {
    this.#options = options;
  }

  /** What is known now; null before the first read. */
  get held(): Held | null {
    return this.#held;
  }

  /**
   * The documents at a version that was just read, or as they are since.
   * @param deadline on the monotonic clock in milliseconds
   * @throws ApiError `status_unavailable` if they cannot be read: what they forbid must not pass
   */
  async at(version: number, deadline: number): Promise<Held> {
    if (this.#held?.version === version) return this.#held;
    this.#reads.begun += 1;
    const turn = this.#reads.begun;
    const stored = await this.#options.read(deadline);
    // Many requests may have waited for one read: the first prepares them.
    if (this.#held?.version === stored.version) {
      this.#reads.held = Math.max(this.#reads.held, turn);
      return this.#held;
    }
    if (this.#preparing?.version !== stored.version) {
      const made = inTurns(this.#prepare(stored)).finally(() => {
        if (this.#preparing?.version === stored.version) this.#preparing = null;
      });
      this.#preparing = { version: stored.version, made };
    }
    const made = await this.#preparing.made;
    if (turn > this.#reads.held) {
      this.#reads.held = turn;
      this.#held = made;
    }
    return made;
  }

  *#prepare(stored: DocumentsAt<Row>): Generator<undefined, Held> {
    try {
      const made = this.#options.prepare(stored, this.#held);
      return Symbol.iterator in made ? yield* made : made;
    } catch (error) {
      this.#options.onUnreadable(error as Error);
      throw new ApiError('status_unavailable');
    }
  }
}
