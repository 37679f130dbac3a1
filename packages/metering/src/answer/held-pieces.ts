/** What all answers of this process hold together; more cannot be read. */
const maxHeld = 256 * 1024 * 1024;
let heldByAll = 0;

/** Pieces of an answer that wait, counted against what all may hold. */
export class HeldPieces {
  #pieces: Buffer[] = [];
  length = 0;

  /** @returns false if it is more than `most`, or all hold too much */
  add(piece: Buffer, most: number): boolean {
    this.#pieces.push(piece);
    this.length += piece.length;
    heldByAll += piece.length;
    return this.length <= most && heldByAll <= maxHeld;
  }

  take(): Buffer {
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.clear();
    return bytes;
  }

  clear(): void {
    heldByAll -= this.length;
    this.length = 0;
    this.#pieces = [];
  }
}
