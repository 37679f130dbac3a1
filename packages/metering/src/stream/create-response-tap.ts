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

/** No answer is this long, but a few bytes can be made to decode to it. */
const answerBounds = { maxWaiting: 8 * 1024 * 1024, waits: false, maxDecoded: 64 * 1024 * 1024 };

/** The results of a batch may have this many bytes, and come faster than they are read line by line: nobody waits for them. */
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

/** By the type of a body that is neither JSON nor a stream. An error page is neither of what is expected. */
function createOtherReader(operation: Operation, type: string): BodyReader {
  if (operation.otherAnswers === 'text' && plainText.test(type)) return new TextReader(operation);
  return operation.otherAnswers === 'media' && !type.startsWith('text/') ? mediaReader : idleReader;
}

function createBodyReader(operation: Operation, contentType: string, onCall?: OnCall): BodyReader {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // These come under several names, none of which is settled (application/x-jsonl, application/binary ...).
  if (operation.answerFormat === 'lines') return new LinesReader(operation.createStreamReader(onCall));
  if (type === 'text/event-stream') return new SseReader(operation.createStreamReader());
  if (type !== 'application/json' && !type.endsWith('+json')) return createOtherReader(operation, type);
  return operation.answerFormat === 'array'
    ? new ArrayReader(operation.createStreamReader())
    : new JsonReader(operation);
}

/** What an answer is read with. */
export interface TapOptions {
  /** Bounds what is held of it; absent where nothing else runs beside it. */
  memory?: MemoryShare;
  /** Told of each call that a file of results reports. */
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
  // What keeps no bytes needs no memory.
  const isIdle = reader === idleReader || reader === mediaReader;
  if (isIdle) return new PlainTap(new GuardedReader(reader, null));
  if (encoding !== '' && encoding !== 'identity' && !canDecode(encoding)) {
    return new PlainTap(new GuardedReader(idleReader, null));
  }
  const guarded = new GuardedReader(reader, memory ?? null);
  if (encoding === '' || encoding === 'identity') return new PlainTap(guarded);
  return new DecodingTap(encoding, guarded, operation.answerFormat === 'lines' ? fileBounds : answerBounds);
}
