import { hash } from 'node:crypto';

/** Shorter texts, in UTF-16 units, would push long ones out. */
const leastLength = 64;

/** What was found out about texts, by their digests: no text is kept. What was not asked for in a long time is forgotten. */
export class TextMemory<Value> {
  readonly #max: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** @param max texts, of which twice as many are known at times */
  constructor(max = 10_000) {
    this.#max = max;
  }

  /** What to remember a text by; null for one that is never remembered. @param asked what of it was looked for */
  static keyOf(text: string, asked = ''): string | null {
    // Halves of surrogate pairs are not told apart by a digest of UTF-8.
    return text.length < leastLength || !text.isWellFormed() ? null : hash('sha256', `${asked}\n${text}`, 'base64');
  }

  get(key: string): Value | undefined {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const older = this.#old.get(key);
    if (older !== undefined) this.keep(key, older);
    return older;
  }

  keep(key: string, value: Value): void {
    if (this.#young.size >= this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
