import type { StreamReader } from '../../providers/operation.ts';
import { type BodyReader, type BodyReading, finishReading } from './response-reading.ts';
import { StreamPart } from './stream-part.ts';

/** Reads a body of JSON lines, one after the other: the file may be larger than what fits into memory. */
export class LinesReader implements BodyReader {
  readonly #reader: StreamReader;
  readonly #line = new StreamPart();

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#line.add(text.slice(start, end));
      this.#endLine();
      start = end + 1;
    }
    if (start < text.length) this.#line.add(text.slice(start));
  }

  end(): BodyReading {
    // The last line may have no end; one that was cut is no JSON.
    this.#endLine();
    return finishReading(this.#reader, this.#line.isComplete);
  }

  #endLine(): void {
    const line = this.#line.take();
    if (line !== null) this.#reader.push('', line);
  }
}
