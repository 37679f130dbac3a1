import { maxText } from './collect-text.ts';
import { parseFrame } from './parse-frame.ts';

/** Frames are read for their text in batches of this many bytes, so that a short stream with figures never is. */
const maxHeld = 64 * 1024;

/** Gathers the text of a stream's frames. It is read late, since it only matters where the provider gives no figures. */
export class StreamText {
  readonly #textOf: (frame: unknown) => string;
  #held: string[] = [];
  #heldLength = 0;
  readonly #texts: string[] = [];
  #length = 0;

  /** @param textOf what the model wrote in a frame */
  constructor(textOf: (frame: unknown) => string) {
    this.#textOf = textOf;
  }

  /** @param data a frame's data in latin1 */
  add(data: string): void {
    if (this.#length >= maxText) return;
    this.#held.push(data);
    this.#heldLength += data.length;
    if (this.#heldLength > maxHeld) this.#read();
  }

  /** All text until now, cut at the bound. */
  read(): string {
    this.#read();
    return this.#texts.join('').slice(0, maxText);
  }

  #read(): void {
    for (const data of this.#held) {
      const text = this.#textOf(parseFrame(data));
      this.#texts.push(text);
      this.#length += text.length;
    }
    this.#held = [];
    this.#heldLength = 0;
  }
}
