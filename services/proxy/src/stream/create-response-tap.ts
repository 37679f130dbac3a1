import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '../providers/operation.ts';
import { ArrayReader } from './array-reader.ts';
import { canDecode, DecodingTap } from './decoding-tap.ts';
import { JsonReader } from './json-reader.ts';
import { type BodyReader, nothingRead, type ResponseReading, type ResponseTap } from './response-reading.ts';
import { SseReader } from './sse-reader.ts';

/** Reads plain bytes as they come. */
class PlainTap implements ResponseTap {
  readonly #reader: BodyReader;

  constructor(reader: BodyReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    this.#reader.push(chunk);
  }

  async end(): Promise<ResponseReading> {
    return this.#reader.end();
  }
}

/** For bodies that are not read. */
const idleReader: BodyReader = {
  push: () => undefined,
  end: () => nothingRead,
};

function createBodyReader(operation: Operation, contentType: string): BodyReader {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return new SseReader(operation.createStreamReader());
  if (type !== 'application/json' && !type.endsWith('+json')) return idleReader;
  return operation.answerFormat === 'array'
    ? new ArrayReader(operation.createStreamReader())
    : new JsonReader(operation);
}

/** A tap for the answer to an operation, fit for the kind of body that its headers announce. */
export function createResponseTap(operation: Operation, headers: IncomingHttpHeaders): ResponseTap {
  const reader = createBodyReader(operation, headers['content-type'] ?? '');
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity' || reader === idleReader) return new PlainTap(reader);
  return canDecode(encoding) ? new DecodingTap(encoding, reader) : new PlainTap(idleReader);
}
