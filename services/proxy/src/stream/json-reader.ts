import type { Operation } from '../providers/operation.ts';
import { findTrailingMembers } from './find-trailing-members.ts';
import { type BodyReader, nothingRead, type ResponseReading } from './response-reading.ts';

/** Of a larger body only the end is kept. */
const maxBody = 8 * 1024 * 1024;

/** A larger body is not parsed unless it must be: parsing holds up everything else that the process does. */
const maxEagerParse = 128 * 1024;

const tailLength = 64 * 1024;

/** Reads a JSON body when it is whole. */
export class JsonReader implements BodyReader {
  readonly #operation: Operation;
  #chunks: Buffer[] = [];
  #length = 0;
  #isCut = false;

  constructor(operation: Operation) {
    this.#operation = operation;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (!this.#isCut && this.#length <= maxBody) return;
    this.#isCut = true;
    let first = this.#chunks[0]?.length ?? 0;
    while (this.#length - first >= tailLength) {
      this.#chunks.shift();
      this.#length -= first;
      first = this.#chunks[0]?.length ?? 0;
    }
  }

  end(): ResponseReading {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    this.#chunks = [];
    if (bytes.length > maxEagerParse || this.#isCut) {
      const reading = this.#read(findTrailingMembers(bytes.subarray(-tailLength).toString('utf8')));
      if (reading.usage !== null) return reading;
      if (this.#isCut) return nothingRead;
    }
    try {
      return this.#read(JSON.parse(bytes.toString('utf8')));
    } catch {
      return nothingRead;
    }
  }

  #read(answer: unknown): ResponseReading {
    const reading = this.#operation.readAnswer(answer);
    return { ...reading, usageIsFinal: reading.usage !== null, sawEnd: true, failed: false, inspected: true };
  }
}
