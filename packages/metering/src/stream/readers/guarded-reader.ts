import type { MemoryShare } from '../inspection-memory.ts';
import { type BodyReader, nothingRead, type ResponseReading } from './response-reading.ts';

/** Counts the bytes that a reader gets, and drops the reader with all that it holds once there is no room. */
export class GuardedReader {
  readonly #share: MemoryShare | null;
  #reader: BodyReader | null;
  #length = 0;

  constructor(reader: BodyReader, share: MemoryShare | null) {
    this.#reader = reader;
    this.#share = share;
  }

  push(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#reader === null) return;
    if (this.#share === null || this.#share.hold(this.#length)) this.#reader.push(chunk);
    else this.#reader = null;
  }

  end(): ResponseReading {
    const reading = this.#reader?.end() ?? { ...nothingRead, passedBy: 'overloaded' as const };
    this.#reader = null;
    return { ...reading, length: this.#length };
  }

  release(): void {
    this.#share?.release();
  }
}
