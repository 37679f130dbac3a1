import type { IncomingHttpHeaders } from 'node:http';
import { canDecode, createDecoder, type Decoder } from '../content-coding.ts';
import type { OnCall, Operation } from '../dialects/operation.ts';
import { createCallingReader } from './called-tools.ts';
import { ArrayReader, JsonReader, LinesReader, TextReader } from './readers.ts';
import {
  type BodyReader,
  type BodyReading,
  GuardedReader,
  type MemoryShare,
  nothingRead,
  type ResponseReading,
  type ResponseTap,
} from './reading.ts';
import { SseReader } from './sse-reader.ts';

interface DecodingBounds {
  maxWaiting: number;
  waits: boolean;
  maxDecoded: number;
}

/** No honest body decodes to this many times its size, once it is larger than a frame or an answer. */
const maxRatio = 256;
const freeOfRatio = 8 * 1024 * 1024;

/** A smaller piece is copied: it would keep the whole chunk that was read from the socket alive. */
const smallPiece = 4_096;

class DecodingTap implements ResponseTap {
  readonly #encoding: string;
  readonly #reader: GuardedReader;
  readonly #bounds: DecodingBounds;
  #decoder: Decoder | null = null;
  #received = 0;
  #waiting = 0;
  #decoded = 0;
  #broken = false;
  #onReady: (() => void) | null = null;
  readonly #closed = Promise.withResolvers<void>();

  constructor(encoding: string, reader: GuardedReader, bounds: DecodingBounds) {
    this.#encoding = encoding;
    this.#reader = reader;
    this.#bounds = bounds;
  }

  push(chunk: Buffer): boolean {
    this.#received += chunk.length;
    if (this.#broken || chunk.length === 0) return true;
    const { maxWaiting, waits } = this.#bounds;
    this.#waiting += chunk.length;
    if (this.#waiting > maxWaiting && !waits) {
      this.#break();
      return true;
    }
    this.#decoder ??= this.#open(chunk[0] ?? 0);
    this.#decoder?.write(chunk.length < smallPiece ? Buffer.from(chunk) : chunk, () => {
      this.#waiting -= chunk.length;
      if (this.#waiting <= maxWaiting / 2) this.#tellReady();
    });
    return this.#waiting <= maxWaiting;
  }

  whenReady(go: () => void): void {
    this.#onReady = go;
    if (this.#broken || this.#waiting <= this.#bounds.maxWaiting) this.#tellReady();
  }

  async end(): Promise<ResponseReading> {
    if (this.#decoder && !this.#broken) {
      this.#decoder.end();
      await this.#closed.promise;
    }
    const reading = this.#reader.end();
    const length = Math.max(reading.length, this.#received);
    if (!this.#broken) return { ...reading, length };
    const output = () => {
      const written = reading.output();
      return Buffer.isBuffer(written) ? written : { ...written, whole: false };
    };
    return { ...reading, length, inspected: false, output };
  }

  release(): void {
    this.#reader.release();
  }

  #open(firstByte: number): Decoder | null {
    const decoder = createDecoder(this.#encoding, 'cut', firstByte);
    decoder?.on('data', (chunk: Buffer) => {
      this.#decoded += chunk.length;
      const { maxDecoded } = this.#bounds;
      const isBomb = this.#decoded > freeOfRatio && this.#decoded > this.#received * maxRatio;
      if (this.#decoded > maxDecoded || isBomb) this.#break();
      if (!this.#broken) this.#reader.push(chunk);
    });
    decoder?.on('error', () => this.#break());
    decoder?.on('close', () => this.#closed.resolve());
    decoder?.on('end', () => this.#closed.resolve());
    return decoder;
  }

  #tellReady(): void {
    const go = this.#onReady;
    this.#onReady = null;
    go?.();
  }

  #break(): void {
    this.#broken = true;
    this.#closed.resolve();
    this.#decoder?.close();
    this.#tellReady();
  }
}

/** No honest answer is this long, but a few bytes can be made to decode to it. */
const answerBounds = { maxWaiting: 8 * 1024 * 1024, waits: false, maxDecoded: 64 * 1024 * 1024 };

/** Results of a batch may be this large, and come faster than they are read: the provider may be made to wait. */
const fileBounds = { maxWaiting: 1024 * 1024, waits: true, maxDecoded: 1024 * 1024 * 1024 };

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

const idleReader: BodyReader = {
  push: () => undefined,
  end: () => ({ ...nothingRead, passedBy: 'unknown' }),
};

const mediaReader: BodyReader = {
  push: () => undefined,
  end: () => ({ ...nothingRead, inspected: true, output: () => ({ parts: [], whole: true }) }),
};

const plainText = /^(?:text\/(?:plain|vtt|srt)|application\/x-subrip)$/;

/** For bodies that are neither JSON nor a stream, by their type. An error page is text, but not of the model's. */
function createOtherReader(operation: Operation, type: string): BodyReader {
  if (operation.otherAnswers === 'text' && plainText.test(type)) return new TextReader(operation);
  return operation.otherAnswers === 'media' && !type.startsWith('text/') ? mediaReader : idleReader;
}

function createBodyReader(operation: Operation, contentType: string, onCall?: OnCall): BodyReader {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // JSON lines come under several content types (application/x-jsonl, application/binary ...).
  if (operation.answerFormat === 'lines') return new LinesReader(createCallingReader(operation, onCall));
  const isStream = type === 'text/event-stream';
  const isJson = type === 'application/json' || type.endsWith('+json');
  if (!isStream && !isJson && (!mislabelled.test(type) || operation.otherAnswers))
    return createOtherReader(operation, type);
  return new FirstBytesReader((start) => {
    if (json.test(start) || (isJson && !frame.test(start))) {
      return operation.answerFormat === 'array'
        ? new ArrayReader(createCallingReader(operation))
        : new JsonReader(operation);
    }
    if (isStream || frame.test(start)) return new SseReader(createCallingReader(operation));
    return createOtherReader(operation, type);
  });
}

/** Types under which servers send JSON and streams alike, beside the right ones. */
const mislabelled = /^(?:|text\/plain|text\/html|application\/octet-stream|application\/x-ndjson)$/;
const json = /^\s*[{[]/;
const frame = /^\s*(?:data|event|id|retry|):/;

/** Servers send streams as JSON or text and JSON as a stream: the first bytes say what an answer is. */
class FirstBytesReader implements BodyReader {
  readonly #choose: (start: string) => BodyReader;
  #held: Buffer[] = [];
  #reader: BodyReader | null = null;

  constructor(choose: (start: string) => BodyReader) {
    this.#choose = choose;
  }

  push(chunk: Buffer): void {
    if (this.#reader !== null) this.#reader.push(chunk);
    else {
      this.#held.push(chunk);
      const start = this.#readStart();
      if (start.trimStart().length >= longestStart || start.length > maxHeld) this.#open(start);
    }
  }

  end(): BodyReading {
    return (this.#reader ?? this.#open(this.#readStart())).end();
  }

  #readStart(): string {
    return this.#held.map((chunk) => chunk.toString('latin1', 0, maxHeld + 1)).join('');
  }

  #open(start: string): BodyReader {
    const reader = this.#choose(start);
    this.#reader = reader;
    for (const chunk of this.#held) reader.push(chunk);
    this.#held = [];
    return reader;
  }
}

const longestStart = 'event:'.length;
const maxHeld = 1_024;

interface TapOptions {
  memory?: MemoryShare;
  onCall?: OnCall;
}

export function createResponseTap(
  operation: Operation,
  headers: IncomingHttpHeaders,
  { memory, onCall }: TapOptions = {},
): ResponseTap {
  const reader = createBodyReader(operation, headers['content-type'] ?? '', onCall);
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  const isIdle = reader === idleReader || reader === mediaReader;
  if (isIdle) return new PlainTap(new GuardedReader(reader, null));
  if (encoding !== '' && encoding !== 'identity' && !canDecode(encoding)) {
    return new PlainTap(new GuardedReader(idleReader, null));
  }
  const guarded = new GuardedReader(reader, memory ?? null);
  if (encoding === '' || encoding === 'identity') return new PlainTap(guarded);
  return new DecodingTap(encoding, guarded, operation.answerFormat === 'lines' ? fileBounds : answerBounds);
}
