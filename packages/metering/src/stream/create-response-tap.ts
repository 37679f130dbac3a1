import type { IncomingHttpHeaders } from 'node:http';
import type { OnCall, Operation } from '../providers/operation.ts';
import { canDecode, DecodingTap } from './decoding-tap.ts';
import type { MemoryShare } from './inspection-memory.ts';
import { ArrayReader } from './readers/array-reader.ts';
import { GuardedReader } from './readers/guarded-reader.ts';
import { JsonReader } from './readers/json-reader.ts';
import { LinesReader } from './readers/lines-reader.ts';
import { type BodyReader, nothingRead, type ResponseReading, type ResponseTap } from './readers/response-reading.ts';
import { SseReader } from './readers/sse-reader.ts';
import { TextReader } from './readers/text-reader.ts';

/** No honest answer is this long, but a few bytes can be made to decode to it. */
const answerBounds = { maxWaiting: 8 * 1024 * 1024, waits: false, maxDecoded: 64 * 1024 * 1024 };

/** Results of a batch may be this large, and come faster than they are read: the provider may be made to wait. */
const fileBounds = { maxWaiting: 1024 * 1024, waits: true, maxDecoded: 1024 * 1024 * 1024 };

/** Reads plain bytes as they come. */
class PlainTap implements ResponseTap {
  readonly #reader: GuardedReader;

  constructor(reader: GuardedReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): boolean {
    this.#reader.push(chunk);
    return true;
  }

  whenReady(go: () => void): void {
    go();
  }

  async end(): Promise<ResponseReading> {
    return this.#reader.end();
  }

  release(): void {
    this.#reader.release();
  }
}

/** For bodies that are not read. */
const idleReader: BodyReader = {
  push: () => undefined,
  end: () => ({ ...nothingRead, passedBy: 'unknown' }),
};

/** For sound and pictures, in which there is nothing to read. */
const mediaReader: BodyReader = {
  push: () => undefined,
  end: () => ({ ...nothingRead, inspected: true, output: () => ({ parts: [], whole: true }) }),
};

/** Plain text and subtitles, as their servers call them. */
const plainText = /^(?:text\/(?:plain|vtt|srt)|application\/x-subrip)$/;

/** For bodies that are neither JSON nor a stream, by their type. An error page is text, but not of the model's. */
function createOtherReader(operation: Operation, type: string): BodyReader {
  if (operation.otherAnswers === 'text' && plainText.test(type)) return new TextReader(operation);
  return operation.otherAnswers === 'media' && !type.startsWith('text/') ? mediaReader : idleReader;
}

function createBodyReader(operation: Operation, contentType: string, onCall?: OnCall): BodyReader {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // JSON lines come under several content types (application/x-jsonl, application/binary ...).
  if (operation.answerFormat === 'lines') return new LinesReader(operation.createStreamReader(onCall));
  if (type === 'text/event-stream') return new SseReader(operation.createStreamReader());
  if (type !== 'application/json' && !type.endsWith('+json')) return createOtherReader(operation, type);
  return operation.answerFormat === 'array'
    ? new ArrayReader(operation.createStreamReader())
    : new JsonReader(operation);
}

export interface TapOptions {
  /** The share of memory that the reader may hold; absent where it need not be bounded. */
  memory?: MemoryShare;
  /** Called with each call that a file of results reports. */
  onCall?: OnCall;
}

/** A tap for the answer to an operation, fit for the kind of body that its headers announce. */
export function createResponseTap(
  operation: Operation,
  headers: IncomingHttpHeaders,
  { memory, onCall }: TapOptions = {},
): ResponseTap {
  const reader = createBodyReader(operation, headers['content-type'] ?? '', onCall);
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  // These readers keep no bytes.
  const isIdle = reader === idleReader || reader === mediaReader;
  if (isIdle) return new PlainTap(new GuardedReader(reader, null));
  if (encoding !== '' && encoding !== 'identity' && !canDecode(encoding)) {
    return new PlainTap(new GuardedReader(idleReader, null));
  }
  const guarded = new GuardedReader(reader, memory ?? null);
  if (encoding === '' || encoding === 'identity') return new PlainTap(guarded);
  return new DecodingTap(encoding, guarded, operation.answerFormat === 'lines' ? fileBounds : answerBounds);
}
