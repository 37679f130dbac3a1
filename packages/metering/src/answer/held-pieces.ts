import type { MemoryShare } from './reading.ts';

/** Smaller pieces are copied: each would keep the whole chunk that was read from the socket alive. */
const smallPiece = 16 * 1024;
const maxBlock = 64 * 1024;
const minBlock = 1024;

/** Bytes that came in pieces, however small, in little more memory than they take. */
export class GatheredBytes {
  #whole: Buffer[] = [];
  #block: Buffer | null = null;
  #used = 0;
  #length = 0;
  readonly #copies: boolean;

  /** @param copies the memory of a piece may be used again */
  constructor(copies = false) {
    this.#copies = copies;
  }

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    if (piece.length >= smallPiece || this.#length === piece.length) {
      this.#endBlock();
      this.#whole.push(this.#copies ? Buffer.from(piece) : piece);
      return;
    }
    for (let from = 0; from < piece.length; ) {
      this.#block ??= Buffer.allocUnsafeSlow(Math.min(maxBlock, Math.max(minBlock, this.#length)));
      const copied = piece.copy(this.#block, this.#used, from);
      from += copied;
      this.#used += copied;
      if (this.#used === this.#block.length) this.#endBlock();
    }
  }

  keepLast(bytes: number): void {
    let first = this.#whole[0]?.length ?? 0;
    while (first > 0 && this.#length - first >= bytes) {
      this.#whole.shift();
      this.#length -= first;
      first = this.#whole[0]?.length ?? 0;
    }
  }

  take(): Buffer {
    this.#endBlock();
    const [only] = this.#whole;
    const bytes = this.#whole.length === 1 && only ? only : Buffer.concat(this.#whole);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#whole = [];
    this.#block = null;
    this.#used = 0;
    this.#length = 0;
  }

  #endBlock(): void {
    if (this.#block && this.#used > 0) this.#whole.push(this.#block.subarray(0, this.#used));
    this.#block = null;
    this.#used = 0;
  }
}

/** Pieces of an answer that wait until it is known whether they may pass. */
export class HeldPieces extends GatheredBytes {
  readonly #memory: MemoryShare | null;

  /** @param memory what the agent's answers may hold; null without a bound for all */
  constructor(memory: MemoryShare | null, copies = false) {
    super(copies);
    this.#memory = memory;
  }

  /** @returns false if it is more than `most`, or the agent's share is used up */
  hold(piece: Buffer, most: number): boolean {
    this.add(piece);
    return this.length <= most && this.#memory?.hold(this.length) !== false;
  }
}
