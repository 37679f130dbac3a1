import type { StreamReader } from '../../providers/operation.ts';
import { GatheredText } from '../../text/gathered-text.ts';
import { type BodyReader, type BodyReading, finishReading } from './response-reading.ts';

/** A longer line is passed over. */
const maxLine = 8 * 1024 * 1024;

/** Reads a body of JSON lines, one after the other: the file may be larger than what fits into memory. */
export class LinesReader implements BodyReader {
  readonly #reader: StreamReader;
  readonly #parts = new GatheredText();
  #length = 0;
  #inspected = true;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#keep(text.slice(start, end));
      this.#endLine();
      start = end + 1;
    }
    if (start < text.length) this.#keep(text.slice(start));
  }

  end(): BodyReading {
    // The last line may have no end; one that was cut is no JSON.
    if (this.#length > 0) this.#endLine();
    return finishReading(this.#reader, this.#inspected);
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length <= maxLine) this.#parts.add(part);
    else this.#parts.clear();
  }

  #endLine(): void {
    if (this.#length > maxLine) this.#inspected = false;
    else if (this.#length > 0) this.#reader.push('', this.#parts.read());
    this.#parts.clear();
    this.#length = 0;
  }
}
