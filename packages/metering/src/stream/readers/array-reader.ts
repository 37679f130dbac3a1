import type { StreamReader } from '../../providers/operation.ts';
import { GatheredText } from '../../text/gathered-text.ts';
import { type BodyReader, type BodyReading, finishReading } from './response-reading.ts';

/** A larger element is passed over. */
const maxElement = 8 * 1024 * 1024;

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;

/**
 * Reads a JSON array of objects element by element, as Gemini streams without `alt=sse`, or a single object. An array
 * that was cut gives the elements that are whole.
 */
export class ArrayReader implements BodyReader {
  readonly #reader: StreamReader;
  readonly #parts = new GatheredText();
  #length = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inspected = true;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (code === backslash) this.#escaped = true;
        else if (code === quote) this.#inString = false;
      } else if (code === quote) {
        this.#inString = this.#depth > 0;
      } else if (code === openBrace) {
        if (this.#depth === 0) start = i;
        this.#depth += 1;
      } else if (code === closeBrace && this.#depth > 0) {
        this.#depth -= 1;
        if (this.#depth === 0) {
          this.#keep(text.slice(start, i + 1));
          this.#endElement();
        }
      }
    }
    if (this.#depth > 0) this.#keep(text.slice(start));
  }

  end(): BodyReading {
    const { output, ...reading } = finishReading(this.#reader, this.#inspected);
    const isCut = this.#depth > 0;
    return {
      ...reading,
      output: () => {
        const written = output();
        return isCut && !Buffer.isBuffer(written) ? { ...written, whole: false } : written;
      },
    };
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length <= maxElement) this.#parts.add(part);
    else this.#parts.clear();
  }

  #endElement(): void {
    if (this.#length > maxElement) this.#inspected = false;
    else this.#reader.push('', this.#parts.read());
    this.#parts.clear();
    this.#length = 0;
  }
}
