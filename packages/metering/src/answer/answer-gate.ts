import { type AnswerNames, type AnswerNaming, listModels, StreamNames } from '../dialects/named-tools.ts';
import type { Frame } from '../json/frame.ts';
import { asObject, isTooPopulated, tryParse } from '../json/members.ts';
import { HeldPieces } from './held-pieces.ts';
import { maxEagerParse, maxEagerValues } from './readers.ts';
import {
  type BodyPipe,
  type BodyReader,
  type BodyReading,
  type FrameFilter,
  type MemoryShare,
  nothing,
} from './reading.ts';

/** Whether what an answer has named so far is allowed; null if a part cannot be read. */
export type Allows = (names: AnswerNames | null) => boolean;

/** Ends a stream before the first frame that is not known to be allowed. */
export class FrameGate implements FrameFilter {
  readonly #names: StreamNames;
  readonly #allows: Allows;
  readonly #isOfLines: boolean;

  constructor(naming: AnswerNaming, allows: Allows, isOfLines: boolean) {
    this.#names = new StreamNames(naming);
    this.#allows = allows;
    this.#isOfLines = isOfLines;
  }

  holds(): boolean {
    return true;
  }

  judge(frame: Frame | null): 'passes' | 'ended' {
    return this.#isAllowed(frame) ? 'passes' : 'ended';
  }

  #isAllowed(frame: Frame | null): boolean {
    if (frame === null) return this.#allows(null);
    if (!this.#isOfLines && !this.#names.mayName(frame.data)) return true;
    const value = frame.value();
    // What is no JSON for us may be some for another reader, with a mark or a comment; a word (`[DONE]`) is none.
    if (value === null) return /^\s*(?:\[?[\w .:+-]*\]?)\s*$/.test(frame.data) || this.#allows(null);
    return typeof value !== 'object' || this.#allows(this.#names.read(asObject(value)));
  }
}

/** Searches and changes answers that are held whole. */
export interface Redact {
  /** @returns nothing of one that may not pass */
  whole(bytes: Buffer): Buffer | Promise<Buffer>;
  /** Whether one may pass that is too long to be held. */
  passesLonger(): boolean;
}

type Decode = (bytes: Buffer) => Buffer | null;

/** A longer answer that is no stream cannot be read. */
export const maxWhole = 16 * 1024 * 1024;

/** Reads an answer that is no stream, and holds all of it if it may not be allowed. */
export class WholePipe implements BodyPipe {
  readonly isHeld: boolean;
  later: Promise<Buffer> | null = null;
  readonly #naming: AnswerNaming | null;
  readonly #allows: Allows | null;
  readonly #held: HeldPieces;
  readonly #decode: Decode;
  readonly #redact: Redact | null;
  #reader: BodyReader | null;
  #isPassing: boolean;
  #value: unknown;

  /** @param allows null if nothing that it names is judged @param redact null if its texts are not searched */
  constructor(
    reader: BodyReader | null,
    naming: AnswerNaming | null,
    allows: Allows | null,
    memory: MemoryShare | null,
    decode: Decode = (bytes) => bytes,
    redact: Redact | null = null,
  ) {
    this.#redact = redact;
    this.#reader = reader;
    this.#decode = decode;
    this.#held = new HeldPieces(memory);
    this.#naming = naming;
    this.#allows = naming === null ? null : allows;
    this.isHeld = this.#allows !== null || redact !== null;
    this.#isPassing = !this.isHeld;
  }

  push(chunk: Buffer): Buffer {
    this.#reader?.push(chunk);
    if (this.#isPassing) return chunk;
    if (this.#held.hold(chunk, maxWhole)) return nothing;
    const isAllowed = this.#allows?.(null) !== false && this.#redact?.passesLonger() !== false;
    return this.#pass(this.#held.take(), isAllowed);
  }

  end(): Buffer {
    const bytes = this.#held.take();
    if (bytes.length === 0) return nothing;
    const passed = this.#pass(bytes, this.#allows === null || this.#isAllowed(bytes, this.#allows));
    const changed = passed.length === 0 || this.#redact === null ? passed : this.#redact.whole(passed);
    if (Buffer.isBuffer(changed)) return changed;
    this.later = changed;
    return nothing;
  }

  #isAllowed(sent: Buffer, allows: Allows): boolean {
    const bytes = this.#decode(sent);
    if (bytes === null) return allows(null);
    if (bytes.length > maxEagerParse) {
      const models = this.#naming && listModels(this.#naming, bytes);
      if (models) return models.every((model) => allows({ model, called: [] }));
      if (isTooPopulated(bytes, maxEagerValues)) return allows(null);
    }
    this.#value = tryParse(bytes);
    const named = this.#value === undefined ? [null] : [this.#value].flat().map((each) => this.#read(each));
    return named.every((names) => allows(names));
  }

  read(): BodyReading {
    return (this.#reader as BodyReader).end(this.#value);
  }

  forget(): void {
    this.#reader = null;
  }

  close(): void {
    this.#held.clear();
  }

  #read(value: unknown): AnswerNames | null {
    return this.#naming?.read(asObject(value)) ?? null;
  }

  #pass(bytes: Buffer, isAllowed: boolean): Buffer {
    this.#isPassing = isAllowed;
    return isAllowed ? bytes : nothing;
  }
}
