/** Offsets are in UTF-16 units. */
export interface Rewritten {
  readonly value: string;
  toOriginal(start: number, end: number): { start: number; end: number };
}

/** True for the first of the two units of a surrogate pair. */
const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

export class Rewriting implements Rewritten {
  readonly #original: string;
  readonly #pieces: string[] = [];
  /**
   * Start and end in the new text, and in the original. Neighbouring single units share one entry: full-width letters would take 32 bytes
   * each.
   */
  readonly #bounds: number[] = [];
  #length = 0;
  #read = 0;
  #value: string | null = null;

  constructor(original: string) {
    this.#original = original;
  }

  replace(start: number, end: number, text: string): void {
    this.#pieces.push(this.#original.slice(this.#read, start) + text);
    const from = this.#length + start - this.#read;
    this.#length = from + text.length;
    this.#read = end;
    const last = this.#bounds.length - 4;
    const isUnit = text.length === 1 && end === start + 1;
    if (isUnit && last >= 0 && this.#bounds[last + 3] === start && this.#isUnits(last)) {
      this.#bounds[last + 1] = this.#length;
      this.#bounds[last + 3] = end;
    } else this.#bounds.push(from, this.#length, start, end);
  }

  get isChanged(): boolean {
    return this.#pieces.length > 0;
  }

  get value(): string {
    this.#value ??= this.#pieces.join('') + this.#original.slice(this.#read);
    return this.#value;
  }

  toOriginal(start: number, end: number): { start: number; end: number } {
    return { start: this.#locate(start).start, end: this.#locate(end - 1).end };
  }

  #isUnits(at: number): boolean {
    const [from, until, start, end] = this.#bounds.slice(at, at + 4) as [number, number, number, number];
    return until - from === end - start && (end - start === 1 || !isHigh(this.#original.charCodeAt(start)));
  }

  #locate(offset: number): { start: number; end: number } {
    const at = 4 * this.#countBefore(offset) - 4;
    if (at < 0) return { start: offset, end: offset + 1 };
    const [from, until, start, end] = this.#bounds.slice(at, at + 4) as [number, number, number, number];
    if (offset < until && this.#isUnits(at)) return { start: start + offset - from, end: start + offset - from + 1 };
    return offset < until ? { start, end } : { start: end + offset - until, end: end + offset - until + 1 };
  }

  #countBefore(offset: number): number {
    let low = 0;
    let high = this.#bounds.length / 4;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#bounds[4 * middle] as number) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
