/** Up to this length, a body of declared length gets all of its memory at once. */
const wholeAtOnce = 1024 * 1024;
const firstBytes = 16 * 1024;
/** Once so many bytes have come, all of a declared length is reserved. The machine gives memory as it fills: what has come is what counts. */
const reservedFrom = 4 * 1024 * 1024;

/** Bytes that come in pieces, in one piece of memory that doubles when full: tiny pieces take no more than a single one. */
export class ByteBuffer {
  readonly #expected: number | null;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  #charged = 0;

  /** @param expected their number; null if it is not known */
  constructor(expected: number | null) {
    this.#expected = expected;
  }

  get length(): number {
    return this.#length;
  }

  /** How much more memory it will take if so many bytes more come. */
  growth(length: number): number {
    return Math.max(0, this.#toCharge(length) - this.#charged);
  }

  push(chunk: Buffer): void {
    this.#charged = Math.max(this.#charged, this.#toCharge(chunk.length));
    if (this.#length === 0 && chunk.length === this.#expected) this.#buffer = chunk;
    else {
      this.#reserve(this.#toCapacity(chunk.length));
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length += chunk.length;
  }

  read(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #toCharge(more: number): number {
    const capacity = this.#toCapacity(more);
    return capacity < reservedFrom ? capacity : this.#length + more;
  }

  #toCapacity(more: number): number {
    const needed = this.#length + more;
    const { length } = this.#buffer;
    if (needed <= length) return length;
    const expected = this.#expected ?? Number.POSITIVE_INFINITY;
    const isWhole = expected <= wholeAtOnce || (needed >= reservedFrom && this.#expected !== null);
    return Math.max(needed, isWhole ? expected : Math.min(expected, Math.max(firstBytes, 2 * length)));
  }

  #reserve(capacity: number): void {
    if (capacity === this.#buffer.length) return;
    // Not from Node's shared pool, which a body would keep alive as long as itself.
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Bytes that are copied at once, which takes some milliseconds where memory is slow. */
const copiedAtOnce = 2 * 1024 * 1024;

/** A copy in memory of its own, which another thread may get. For `inTurns`: a large one would hold up everything else. */
export function* copyInSteps(bytes: Uint8Array): Generator<undefined, Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += copiedAtOnce) {
    if (at > 0) yield;
    copy.set(bytes.subarray(at, at + copiedAtOnce), at);
  }
  return copy;
}
