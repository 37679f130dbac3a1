import type { FairShares, Holder } from '@agp/runtime/fairness';
import type { StreamReader, StreamReading } from '../dialects/operation.ts';
import { GatheredText } from '../text/stream-text.ts';
import type { Writing } from '../text/writing.ts';

export interface BodyReading extends Omit<StreamReading, 'outputText' | 'besideText' | 'isCutShort'> {
  /** False for content types without usage, unknown encodings, and bodies that broke off or passed a bound. */
  inspected: boolean;
  /** None of it was read: its type or encoding is `unknown`, or too much was being read (`overloaded`). */
  passedBy?: 'unknown' | 'overloaded';
  isError?: boolean;
  /** The text that the model wrote, or the body that holds it. */
  output(): Writing | Buffer;
}

export interface ResponseReading extends BodyReading {
  length: number;
}

/** Reads a copy of a response on its way to the agent, within bounds. Never throws. */
export interface ResponseTap {
  /**
   * Takes the next bytes, which are not changed and may be kept until `end`; false if more should wait for {@link whenReady}.
   */
  push(chunk: Buffer): boolean;
  whenReady(go: () => void): void;
  /** Call once, whether the body came to its end or was cut. */
  end(): Promise<ResponseReading>;
  release(): void;
}

export interface BodyReader {
  push(chunk: Buffer): void;
  end(): BodyReading;
}

export const nothingRead: BodyReading = {
  model: null,
  usage: null,
  serviceTier: null,
  usageIsFinal: false,
  sawEnd: false,
  failed: false,
  inspected: false,
  output: () => ({ parts: [], whole: false }),
};

export function finishReading(reader: StreamReader, inspected: boolean, frames = 0): BodyReading {
  const { outputText, besideText, isCutShort = false, ...reading } = reader.end();
  const isRead = inspected && !isCutShort;
  return {
    ...reading,
    inspected: isRead,
    ...(reading.failed && frames === 1 && isRead && { isError: outputText().parts.length === 0 }),
    output: () => {
      const { parts, whole } = outputText();
      const beside = besideText?.();
      return { parts, beside: beside?.parts ?? [], whole: whole && isRead && beside?.whole !== false };
    },
  };
}

const maxPart = 8 * 1024 * 1024;
const keptHead = 4 * 1024;
const keptTail = 64 * 1024;

export class StreamPart {
  readonly #pieces = new GatheredText();
  #length = 0;
  #head = '';
  #tail = '';
  isComplete = true;
  /** How the part that was taken begins and ends, if it was too long to be kept. */
  ends: { head: string; tail: Buffer } | null = null;

  /** In UTF-16 units. */
  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length <= maxPart) {
      this.#pieces.add(piece);
      return;
    }
    const before = this.#pieces.length > 0 ? this.#pieces.read() : this.#tail;
    this.#head ||= (before || piece).slice(0, keptHead);
    this.#tail = `${before.slice(-keptTail)}${piece.slice(-keptTail)}`.slice(-keptTail);
    this.#pieces.clear();
  }

  take(): string | null {
    const isTooLong = this.#length > maxPart;
    const text = isTooLong || this.#length === 0 ? null : this.#pieces.read();
    if (isTooLong) this.isComplete = false;
    this.ends = isTooLong ? { head: this.#head, tail: Buffer.from(this.#tail, 'latin1') } : null;
    this.#pieces.clear();
    this.#length = 0;
    this.#head = '';
    this.#tail = '';
    return text;
  }
}

/** The most that one answer holds while it is read, in bytes: a frame, the figures of an earlier one, and the text so far. */
const maxOfAnswer = 24 * 1024 * 1024;

/** Shared by all answers that a process reads at the same time, in bytes. */
export const maxInspected = 512 * 1024 * 1024;

export interface MemoryShare {
  /** Raises what is held to so many bytes; false if there is no room: all is given back, and the reader must drop it. */
  hold(bytes: number): boolean;
  release(): void;
}

/** A stream of small chunks asks for its share once in some chunks. */
const heldAtOnce = 4 * 1024;

export function openMemoryShare(shares: FairShares, holder: Holder): MemoryShare {
  let held = 0;
  const release = () => {
    shares.giveBack(holder, held);
    held = 0;
  };
  return {
    hold(bytes) {
      if (bytes <= held) return true;
      const more = Math.min(Math.ceil(bytes / heldAtOnce) * heldAtOnce, maxOfAnswer) - held;
      if (more <= 0) return true;
      if (shares.take(holder, more) === null) {
        held += more;
        return true;
      }
      release();
      return false;
    },
    release,
  };
}

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
