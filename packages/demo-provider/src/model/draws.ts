import { createHash } from 'node:crypto';

/** Random choices that depend on the seed only. */
export class Draws {
  #block: Buffer;
  #offset = 0;

  constructor(seed: string) {
    this.#block = createHash('sha256').update(seed).digest();
  }

  /** A whole number from 0 up to, but not including, the limit, which is at most 2^32. */
  below(limit: number): number {
    if (this.#offset + 4 > this.#block.length) {
      this.#block = createHash('sha256').update(this.#block).digest();
      this.#offset = 0;
    }
    const drawn = this.#block.readUInt32BE(this.#offset) % limit;
    this.#offset += 4;
    return drawn;
  }

  /** @throws RangeError if there is nothing to draw from */
  from<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new RangeError('nothing to draw from');
    return items[this.below(items.length)] as Item;
  }
}
