import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '../providers/operation.ts';
import { ArrayReader } from './array-reader.ts';
import { canDecode, DecodingTap } from './decoding-tap.ts';
import { JsonReader } from './json-reader.ts';
import { LinesReader } from './lines-reader.ts';
import { type BodyReader, nothingRead, type ResponseReading, type ResponseTap } from './response-reading.ts';
import { SseReader } from './sse-reader.ts';
import { TextReader } from './text-reader.ts';

/** No answer is this long, but a few bytes can be made to decode to it. */
const answerBounds = { maxWaiting: 8 * 1024 * 1024, maxDecoded: 64 * 1024 * 1024 };

/** The results of a batch may have this many bytes, and come faster than they are read line by line. */
const fileBounds = { maxWaiting: 64 * 1024 * 1024, maxDecoded: 1024 * 1024 * 1024 };

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

/** For sound and pictures, in which there is nothing to read. */
const mediaReader: BodyReader = {
  push: () => undefined,
  end: () => ({ ...nothingRead, inspected: true, output: () => ({ parts: [], whole: true }) }),
};

/** Plain text and subtitles, as their servers call them. */
const plainText = /^(?:text\/(?:plain|vtt|srt)|application\/x-subrip)$/;

/** By the type of a body that is neither JSON nor a stream. An error page is neither of what is expected. */
function createOtherReader(operation: Operation, type: string): BodyReader {
  if (operation.otherAnswers === 'text' && plainText.test(type)) return new TextReader(operation);
  return operation.otherAnswers === 'media' && !type.startsWith('text/') ? mediaReader : idleReader;
}

function createBodyReader(operation: Operation, contentType: string): BodyReader {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // These come under several names, none of which is settled (application/x-jsonl, application/binary ...).
  if (operation.answerFormat === 'lines') return new LinesReader(operation.createStreamReader());
  if (type === 'text/event-stream') return new SseReader(operation.createStreamReader());
  if (type !== 'application/json' && !type.endsWith('+json')) return createOtherReader(operation, type);
  return operation.answerFormat === 'array'
    ? new ArrayReader(operation.createStreamReader())
    : new JsonReader(operation);
}

/** A tap for the answer to an operation, fit for the kind of body that its headers announce. */
export function createResponseTap(operation: Operation, headers: IncomingHttpHeaders): ResponseTap {
  const reader = createBodyReader(operation, headers['content-type'] ?? '');
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity' || reader === idleReader || reader === mediaReader) {
    return new PlainTap(reader);
  }
  if (!canDecode(encoding)) return new PlainTap(idleReader);
  return new DecodingTap(encoding, reader, operation.answerFormat === 'lines' ? fileBounds : answerBounds);
}
