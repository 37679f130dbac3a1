import { parseJson } from '@agp/core/json';
import { addBeside } from '../providers/collect-beside.ts';
import { asObject, type JsonObject } from '../providers/json-shapes.ts';
import type { AnswerReading, Operation } from '../providers/operation.ts';
import { findTrailingMembers } from './find-trailing-members.ts';
import { type BodyReader, nothingRead, type ResponseReading } from './response-reading.ts';
import { scanMembers, skipSpace } from './scan-members.ts';

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
      const outline = this.#isCut
        ? findTrailingMembers(bytes.subarray(-tailLength).toString('utf8'))
        : readOutline(bytes);
      const reading = this.#operation.readAnswer(outline);
      if (this.#isCut) return finish(reading, () => ({ parts: [], whole: false }));
      const isTold = reading.usage !== null && !this.#operation.figuresWithin?.some((name) => bytes.includes(name));
      if (isTold) return finish(reading, () => bytes);
    }
    try {
      const body: unknown = parseJson(bytes);
      const { outputText, ...reading } = this.#operation.readAnswer(body);
      const isError = reading.usage === null && Boolean(asObject(body).error);
      return { ...finish(reading, () => addBeside('answer', body, outputText())), isError };
    } catch {
      // The connection broke, or the agent left: what there is of it is read where it is needed.
      return { ...nothingRead, output: () => bytes };
    }
  }
}

/** The members of the root that are no longer than figures are: what the model wrote is passed over, not parsed. */
function readOutline(bytes: Buffer): JsonObject {
  const found = scanMembers(bytes, skipSpace(bytes, 0))?.members ?? [];
  const short = found.filter(({ start, end }) => end - start <= tailLength);
  return Object.fromEntries(short.map(({ key, start, end }) => [key, parseOrNull(bytes.subarray(start, end))]));
}

function parseOrNull(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch {
    return null;
  }
}

function finish(reading: Omit<AnswerReading, 'outputText'>, output: ResponseReading['output']): ResponseReading {
  const { model, usage, serviceTier, calls } = reading;
  return {
    model,
    usage,
    serviceTier,
    ...(calls && { calls }),
    usageIsFinal: usage !== null,
    sawEnd: true,
    failed: false,
    inspected: true,
    output,
  };
}
