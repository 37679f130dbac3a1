import type { FairShares, Holder } from '@agp/runtime/fairness';
import type { StreamReader, StreamReading } from '../dialects/operation.ts';
import type { Frame } from '../json/frame.ts';
import { hasMoreValues } from '../json/members.ts';
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

/** An answer on its way to the agent, read within bounds, and held back or changed as far as filters say. Never throws. */
export interface AnswerPipe extends Pick<BodyPipe, 'isHeld' | 'sawEnd' | 'push' | 'end' | 'later' | 'close'> {
  /** The agent may get fewer bytes than came. */
  readonly changesLength: boolean;
  /** False if more should wait for {@link whenReady}; then it goes on with what it has when it is pushed nothing. */
  readonly isReady: boolean;
  whenReady(go: () => void): void;
  /** Call once, whether the body came to its end or was cut. */
  read(): Promise<ResponseReading>;
  /** Gives back the memory that reading took. */
  release(): void;
}

/** Reads a body as it passes, and says what of it may go on to the agent. */
export interface BodyPipe {
  /** Nothing passes before `end`, so that the answer's status may still become another. */
  readonly isHeld: boolean;
  /** The stream's last frame came; absent of what is no stream, or encoded. */
  readonly sawEnd?: boolean;
  push(chunk: Buffer): Buffer;
  /** It has a long work in hand, of which {@link goOn} does the next step; what needs its end does all steps at once. */
  readonly isBusy?: boolean;
  goOn?(): Buffer;
  /** The rest that may go on, once all has come. */
  end(): Buffer;
  /** Behind `end`: what may go on later, since it must be searched first; rejects with an ApiError if that cannot be. */
  readonly later?: Promise<Buffer> | null;
  /** Call once, whether the body came to its end or was cut. */
  read(): BodyReading;
  /** Nothing more is read of it, for want of memory; it still passes. */
  forget(): void;
  /** Gives back what it holds for the agent; call it however the answer ends. */
  close(): void;
}

/** Keeps frames of a stream from the agent; the first of a list that does so decides. */
export interface FrameFilter {
  /** `dropped`: the stream goes on without it; `ended`: nothing goes on from here. @param frame null for one that is too long to be read */
  judge(frame: Frame | null): 'passes' | 'dropped' | 'ended';
  /** Whether the beginning of a frame must wait for its end, since it may not pass. */
  holds(beginning: StreamPart): boolean;
  /** Changes what passes. @param text the same bytes, each as one character */
  rewrite?(bytes: Buffer, text: string): Buffer;
  /** What `rewrite` or `take` kept back. */
  end?(): Buffer;
  /** Gets whole frames in place of passing them on. @param frame null for bytes of none @returns what may pass now, of earlier ones too */
  take?(frame: Frame | null, raw: Buffer): Buffer;
  /** What `take` was given is not yet read: {@link goOn} does the next step. */
  readonly isBusy?: boolean;
  goOn?(): Buffer;
  /** Bytes that `take` kept back. */
  readonly held?: number;
  /** What `take` kept back, if more cannot wait for it and may pass all the same. */
  giveUp?(): Buffer;
  /** Behind `end`: what passes once it is checked. */
  readonly later?: Promise<Buffer> | null;
}

/** Reads a body that is no stream of frames. */
export interface BodyReader {
  push(chunk: Buffer): void;
  /** @param value the body's, if somebody parsed it already */
  end(value?: unknown): BodyReading;
}

export const nothing: Buffer = Buffer.alloc(0);

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

/** A longer frame, line or element cannot be read. */
export const maxPart = 8 * 1024 * 1024;
/**
 * Nor one of more values, which would hold up everything else; the largest frames repeat a text with the chances of its tokens. One of fewer
 * characters has fewer values.
 */
export const maxFrameValues = 100_000;
const keptHead = 4 * 1024;
const keptTail = 64 * 1024;

export class StreamPart {
  readonly #pieces = new GatheredText();
  #length = 0;
  #head = '';
  #tail = '';
  isComplete = true;
  /** How the part that was taken begins and ends, if it was too long to be read. */
  ends: { head: string; tail: Buffer } | null = null;

  get length(): number {
    return this.#length;
  }

  /** What has come of it, if it is not too long to be kept. */
  peek(): string {
    return this.#pieces.read();
  }

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
    let text = isTooLong || this.#length === 0 ? null : this.#pieces.read();
    const isTooPopulated = text !== null && hasMoreValues(text, maxFrameValues);
    if (text !== null && isTooPopulated) {
      this.#head = text.slice(0, keptHead);
      this.#tail = text.slice(-keptTail);
      text = null;
    }
    const isUnread = isTooLong || isTooPopulated;
    if (isUnread) this.isComplete = false;
    this.ends = isUnread ? { head: this.#head, tail: Buffer.from(this.#tail, 'latin1') } : null;
    this.#pieces.clear();
    this.#length = 0;
    this.#head = '';
    this.#tail = '';
    return text;
  }
}

/** The most that one answer holds while it is read, in bytes: a frame, the figures of an earlier one, and the text so far. */
const maxOfAnswer = 24 * 1024 * 1024;

/** Shared by all answers that a process holds back at the same time, in bytes. */
export const maxHeld = 384 * 1024 * 1024;

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
