/** Smaller pieces are copied: each would keep the whole chunk that was read from the socket alive. */
const smallPiece = 16 * 1024;
const blockSize = 64 * 1024;

/** Bytes that come in any number of pieces, however small, in little more memory than they take themselves. */
export class GatheredBytes {
  #whole: Buffer[] = [];
  #block: Buffer | null = null;
  #used = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    // Most answers come in one piece, which is not copied at all.
    if (piece.length >= smallPiece || this.#length === piece.length) {
      this.#endBlock();
      this.#whole.push(piece);
      return;
    }
    for (let from = 0; from < piece.length; ) {
      this.#block ??= Buffer.allocUnsafeSlow(blockSize);
      const copied = piece.copy(this.#block, this.#used, from);
      from += copied;
      this.#used += copied;
      if (this.#used === blockSize) this.#endBlock();
    }
  }

  /** Forgets pieces from the beginning for as long as so many bytes are left. */
  keepLast(bytes: number): void {
    let first = this.#whole[0]?.length ?? 0;
    while (first > 0 && this.#length - first >= bytes) {
      this.#whole.shift();
      this.#length -= first;
      first = this.#whole[0]?.length ?? 0;
    }
  }

  /** All bytes, which are forgotten here. */
  take(): Buffer {
    this.#endBlock();
    const [only] = this.#whole;
    const bytes = this.#whole.length === 1 && only ? only : Buffer.concat(this.#whole);
    this.#whole = [];
    this.#length = 0;
    return bytes;
  }

  #endBlock(): void {
    if (this.#block && this.#used > 0) this.#whole.push(this.#block.subarray(0, this.#used));
    this.#block = null;
    this.#used = 0;
  }
}
