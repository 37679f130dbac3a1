/** Up to this length, a body of declared length gets all of its memory at once. */
const maxAtOnce = 1024 * 1024;
const firstBytes = 16 * 1024;

/**
 * Collects a body in one piece of memory that doubles when it is full, so that a body in tiny pieces takes no more than one
 * in a single piece.
 */
export class BodyBuffer {
  readonly #expected: number | null;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  /** @param expected the length that the agent declares, or null */
  constructor(expected: number | null) {
    this.#expected = expected;
  }

  get length(): number {
    return this.#length;
  }

  /** The additional memory, in bytes, that a piece of this length would take. */
  growth(length: number): number {
    return this.#toCapacity(length) - this.#buffer.length;
  }

  push(chunk: Buffer): void {
    if (this.#length === 0 && chunk.length === this.#expected) this.#buffer = chunk;
    else {
      this.#reserve(this.#toCapacity(chunk.length));
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length += chunk.length;
  }

  /** All bytes so far, not copied. */
  read(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #toCapacity(more: number): number {
    const needed = this.#length + more;
    const { length } = this.#buffer;
    if (needed <= length) return length;
    const expected = this.#expected ?? Number.POSITIVE_INFINITY;
    const wanted = expected <= maxAtOnce ? expected : Math.min(expected, Math.max(firstBytes, 2 * length));
    return Math.max(needed, wanted);
  }

  #reserve(capacity: number): void {
    if (capacity === this.#buffer.length) return;
    // Not from Node's shared pool, which a body would keep alive as long as itself.
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
