import { GatheredText } from '../../text/gathered-text.ts';

/** The largest parts that are known carry images, of a few MiB. */
const maxPart = 8 * 1024 * 1024;

/** A frame, line or element of a stream that comes in pieces. One that is too long is passed over. */
export class StreamPart {
  readonly #pieces = new GatheredText();
  #length = 0;
  /** False once a part was passed over. */
  isComplete = true;

  /** In UTF-16 units. */
  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length <= maxPart) this.#pieces.add(piece);
    else this.#pieces.clear();
  }

  /** Ends the part. Null where it is empty or too long. */
  take(): string | null {
    const isTooLong = this.#length > maxPart;
    const text = isTooLong || this.#length === 0 ? null : this.#pieces.read();
    if (isTooLong) this.isComplete = false;
    this.#pieces.clear();
    this.#length = 0;
    return text;
  }
}
