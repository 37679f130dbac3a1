import type { IncomingHttpHeaders } from 'node:http';
import { endTurn } from '@agp/runtime/fairness';
import { canDecode, decodeAtOnce, decodesAll, isPlain } from '../content-coding.ts';
import type { AnswerNaming } from '../dialects/named-tools.ts';
import type { OnCall, Operation } from '../dialects/operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { type Allows, FrameGate, WholePipe } from './answer-gate.ts';
import { type AnswerKind, AnswerSniffer, longestStart } from './answer-kind.ts';
import { createCallingReader } from './called-tools.ts';
import { answerBounds, DecodingPipe, fileBounds } from './decoding-pipe.ts';
import { FramePipe } from './frame-pipe.ts';
import { FrameRedactor } from './frame-redactor.ts';
import { ArrayReader, JsonReader, TextReader } from './readers.ts';
import {
  type AnswerPipe,
  type BodyPipe,
  type BodyReader,
  type FrameFilter,
  type MemoryShare,
  nothing,
  nothingRead,
  type ResponseReading,
} from './reading.ts';
import { redactWhole, type SearchAnswer } from './redact-whole.ts';
import { UsageStripper } from './strip-usage.ts';

/** What may not pass to the agent as it came. */
export interface Passing {
  /** Judges what the answer names, part by part; absent if no policy does. */
  allows?: Allows | undefined;
  /** What rules of data do with its texts; absent if none holds. */
  redactor?: Redactor | undefined;
  /** An error of the provider may be a page of text. */
  isError?: boolean;
  /** The proxy asked for a usage frame that the agent did not ask for. */
  stripsUsage?: boolean;
}

interface PipeOptions extends Passing {
  searchAnswer?: SearchAnswer;
  memory?: MemoryShare;
  /** For what waits until a policy has read it. */
  held?: MemoryShare | null;
  onCall?: OnCall;
}

const unread: BodyReader = {
  push: () => undefined,
  end: () => ({ ...nothingRead, passedBy: 'unknown' }),
};

const media: BodyReader = {
  push: () => undefined,
  end: () => ({ ...nothingRead, inspected: true, output: () => ({ parts: [], whole: true }) }),
};

/** No reader takes a part of a message, and only behind a whole one may an error follow. */
const wholeFrames: FrameFilter = { holds: () => true, judge: () => 'passes' };

function createBodyPipe(
  operation: Operation,
  kind: AnswerKind,
  { onCall, allows, redactor, searchAnswer, isError = false, stripsUsage, held = null }: PipeOptions,
): BodyPipe {
  const redact = redactor && searchAnswer ? redactWhole(redactor, searchAnswer, kind, isError) : null;
  const openWhole = (reader: BodyReader, judged: AnswerNaming | null) =>
    new WholePipe(reader, judged, allows ?? null, held, undefined, redact);
  const naming = operation.answerNames ?? null;
  // An error in place of results is no line of them.
  if (kind === 'frames' || kind === 'events' || (kind === 'lines' && !(redactor && isError))) {
    const filters: FrameFilter[] = [
      ...(naming !== null && allows ? [new FrameGate(naming, allows, kind === 'lines')] : []),
      ...(stripsUsage && kind === 'frames' ? [new UsageStripper()] : []),
      ...(redactor ? [new FrameRedactor(redactor, kind)] : []),
      ...(kind === 'events' ? [wholeFrames] : []),
    ];
    return new FramePipe(kind, createCallingReader(operation, onCall), filters, held);
  }
  if (kind === 'array') return openWhole(new ArrayReader(createCallingReader(operation)), naming);
  if (kind === 'object') return openWhole(new JsonReader(operation), naming);
  // Text and media name nothing; what should be JSON may name anything.
  const judged = operation.otherAnswers === undefined ? naming : null;
  const reader = kind === 'text' ? new TextReader(operation) : kind === 'media' ? media : unread;
  return openWhole(reader, judged);
}

/** Of a stream that is searched so many bytes are split at once. */
const longestPiece = 16 * 1024;

/** Bytes that are not encoded. */
class PlainPipe implements AnswerPipe {
  later: Promise<Buffer> | null = null;
  readonly changesLength: boolean;
  readonly #operation: Operation;
  readonly #options: PipeOptions;
  readonly #sniffer: AnswerSniffer;
  /** Whether nothing may pass before it is known what the answer is. */
  readonly #waits: boolean;
  #start: Buffer[] = [];
  /** What a search waits for its turn with, and that turn; null if none is due. */
  #unread: Buffer[] = [];
  #turn: Promise<void> | null = null;
  #body: BodyPipe | null = null;
  #length = 0;
  #isOverloaded = false;
  readonly #isIdle: boolean;

  constructor(operation: Operation, sniffer: AnswerSniffer, kind: AnswerKind | null, options: PipeOptions) {
    this.#operation = operation;
    this.#sniffer = sniffer;
    this.#options = options;
    this.changesLength = options.stripsUsage === true || options.redactor !== undefined;
    this.#waits = this.changesLength || (options.allows !== undefined && operation.answerNames !== undefined);
    this.#isIdle = kind === 'unknown' || kind === 'media';
    if (kind !== null) this.#body = createBodyPipe(operation, kind, options);
  }

  /** The head of what calls itself a stream goes out at once, whatever it turns out to be. */
  get isHeld(): boolean {
    const { allows, redactor } = this.#options;
    const isJudged = redactor !== undefined || (allows !== undefined && this.#operation.answerNames !== undefined);
    return this.#body?.isHeld ?? (!this.#sniffer.isStream && isJudged);
  }

  get sawEnd(): boolean {
    return this.#body?.sawEnd === true;
  }

  push(chunk: Buffer): Buffer {
    this.#length += chunk.length;
    if (!this.#isIdle && !this.#isOverloaded && this.#options.memory?.hold(this.#length) === false) {
      this.#isOverloaded = true;
      this.#body?.forget();
    }
    if (this.#body !== null) return this.#pushBody([chunk]);
    if (this.#isOverloaded && !this.#waits) return chunk;
    // What waits is written later, when the memory of a chunk may be used again.
    this.#start.push(this.#waits ? Buffer.from(chunk) : chunk);
    const passed = this.#open(false);
    return this.#waits ? passed : chunk;
  }

  end(): Buffer {
    const passed = this.#open(true);
    const unread = this.#unread.map((chunk) => this.#body?.push(chunk) ?? nothing);
    this.#unread = [];
    const rest = this.#body?.end() ?? nothing;
    const all = !this.#waits || passed.length + unread.length === 0 ? rest : Buffer.concat([passed, ...unread, rest]);
    this.later = this.#body?.later?.then((bytes) => Buffer.concat([all, bytes])) ?? null;
    return all;
  }

  async read(): Promise<ResponseReading> {
    this.#open(true);
    const reading = this.#isOverloaded ? { ...nothingRead, passedBy: 'overloaded' as const } : this.#body?.read();
    return { ...(reading ?? nothingRead), length: this.#length };
  }

  get isReady(): boolean {
    return this.#turn === null;
  }

  whenReady(go: () => void): void {
    if (this.#turn === null) go();
    else void this.#turn.then(go);
  }

  close(): void {
    this.#unread = [];
    this.#turn = null;
    this.#body?.close();
  }

  /** Texts of a stream are searched where they are: frame by frame, in turns with everything else. */
  #pushBody(chunks: readonly Buffer[]): Buffer {
    const body = this.#body as BodyPipe;
    if (body.goOn === undefined || this.#options.redactor === undefined)
      return join(chunks.map((chunk) => body.push(chunk)));
    const isResumed = chunks.length === 1 && chunks[0]?.length === 0;
    if (isResumed) this.#turn = null;
    const unread = [...this.#unread, ...chunks.filter(({ length }) => length > 0)];
    const passed: Buffer[] = [];
    while (this.#turn === null) {
      if (body.isBusy) passed.push(body.goOn());
      else {
        const [first] = unread;
        if (first === undefined) break;
        const end = Math.min(first.indexOf('\n') + 1 || first.length, longestPiece);
        passed.push(body.push(first.subarray(0, end)));
        if (end < first.length) unread[0] = first.subarray(end);
        else unread.shift();
      }
      this.#turn = endTurn() ?? null;
    }
    // What waits is written later, when the memory of a chunk may be used again.
    this.#unread = unread.map((chunk) => (this.#unread.includes(chunk) ? chunk : Buffer.from(chunk)));
    return join(passed);
  }

  release(): void {
    this.#options.memory?.release();
  }

  /** Opens the body once its first bytes say what it is. @returns what passes of them */
  #open(isAll: boolean): Buffer {
    if (this.#body !== null) return nothing;
    const beginning = this.#start.map((chunk) => chunk.toString('latin1', 0, longestStart + 1)).join('');
    const kind = this.#sniffer.fromStart(beginning, isAll);
    if (kind === null) return nothing;
    const body = createBodyPipe(this.#operation, kind, this.#options);
    if (this.#isOverloaded) body.forget();
    this.#body = body;
    const start = this.#start;
    this.#start = [];
    return this.#pushBody(start);
  }
}

const join = (parts: readonly Buffer[]): Buffer => (parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));

/** More would hold up everything else, in bytes. */
const maxDecodedAtOnce = 8 * 1024 * 1024;

/** The pipe of an answer, by its head and, if that does not say what it is, by its first bytes. */
export function openAnswerPipe(
  operation: Operation,
  headers: IncomingHttpHeaders,
  options: PipeOptions = {},
): AnswerPipe {
  const sniffer = new AnswerSniffer(operation, headers);
  if (isPlain(headers)) {
    const stripsUsage = options.stripsUsage === true && sniffer.mayStream;
    const type = sniffer.fromType();
    // What a policy judges is read under any type.
    const isJudged = options.allows !== undefined || options.redactor !== undefined;
    const judged = type === 'unknown' && isJudged && operation.otherAnswers === undefined;
    return new PlainPipe(operation, sniffer, judged ? null : type, { ...options, stripsUsage });
  }
  // Nobody asked for an encoding.
  const mayPass = options.redactor?.passesUnread('an answer that is encoded') !== false;
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  const type = sniffer.fromType();
  const kind = canDecode(encoding) || type === 'media' ? type : 'unknown';
  const isJudged = operation.answerNames && (operation.otherAnswers === undefined || type === null);
  const allows = isJudged ? options.allows : undefined;
  // Of an encoding that was not asked for, a whole answer can be judged, and no stream.
  const mayHold =
    allows !== undefined && decodesAll(encoding) && !sniffer.isStream && kind !== 'lines' && kind !== 'unknown';
  if (allows !== undefined && !mayHold) allows(null);
  const reader = new PlainPipe(operation, sniffer, kind, {
    ...options,
    ...{ allows: undefined, redactor: undefined, stripsUsage: false },
  });
  if (!mayPass) return reader;
  if (kind === 'unknown' || kind === 'media') return reader;
  const decode = (bytes: Buffer) => decodeAtOnce(encoding, bytes, maxDecodedAtOnce);
  const gate = mayHold
    ? new WholePipe(null, operation.answerNames ?? null, allows ?? null, options.held ?? null, decode)
    : null;
  return new DecodingPipe(encoding, reader, operation.answerFormat === 'lines' ? fileBounds : answerBounds, gate);
}
