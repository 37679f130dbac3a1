/** This many pieces are joined to one: a piece costs far more than its characters. */
const joinAt = 512;

/** A text that comes in any number of pieces, however small, in little more memory than its characters take. */
export class GatheredText {
  #joined: string[] = [];
  #pieces: string[] = [];
  #length = 0;

  /** In UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < joinAt) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
    if (this.#joined.length < joinAt) return;
    this.#joined = [this.#joined.join('')];
  }

  read(): string {
    const pieces = this.#joined.length === 0 ? this.#pieces : [...this.#joined, ...this.#pieces];
    return pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
  }

  clear(): void {
    this.#joined = [];
    this.#pieces = [];
    this.#length = 0;
  }
}
