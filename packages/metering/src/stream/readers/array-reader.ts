import { backslash, closeBrace, openBrace, quote } from '../../json/scan-members.ts';
import type { StreamReader } from '../../providers/operation.ts';
import { type BodyReader, type BodyReading, finishReading } from './response-reading.ts';
import { StreamPart } from './stream-part.ts';

/**
 * Reads a JSON array of objects element by element, as Gemini streams without `alt=sse`, or a single object. An array
 * that was cut gives the elements that are whole. It keeps its own state, since the bytes come in pieces.
 */
export class ArrayReader implements BodyReader {
  readonly #reader: StreamReader;
  readonly #element = new StreamPart();
  #depth = 0;
  #inString = false;
  #escaped = false;

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
          this.#element.add(text.slice(start, i + 1));
          const element = this.#element.take();
          if (element !== null) this.#reader.push('', element);
        }
      }
    }
    if (this.#depth > 0) this.#element.add(text.slice(start));
  }

  end(): BodyReading {
    const { output, ...reading } = finishReading(this.#reader, this.#element.isComplete);
    const isCut = this.#depth > 0;
    return {
      ...reading,
      output: () => {
        const written = output();
        return isCut && !Buffer.isBuffer(written) ? { ...written, whole: false } : written;
      },
    };
  }
}
