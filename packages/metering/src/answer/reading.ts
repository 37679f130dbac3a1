import type { FairShares, Holder } from '@agp/runtime/fairness';
import type { StreamReader, StreamReading, Writing } from '../dialects/operation.ts';
import { GatheredText } from '../text/stream-text.ts';

/** The contents of a response; see {@link StreamReading}. */
export interface BodyReading extends Omit<StreamReading, 'outputText' | 'besideText' | 'isCutShort'> {
  /**
   * The body could be read: false for content types without usage, for encodings that are not decoded, and for bodies
   * that broke off or passed a bound.
   */
  inspected: boolean;
  /**
   * None of it was read, because its type or encoding is not supported (`unknown`), or because too much was being read at
   * the same time (`overloaded`).
   */
  passedBy?: 'unknown' | 'overloaded';
  /** An answer that is an error and nothing else, whatever its status. */
  isError?: boolean;
  /** The text that the model wrote, or the body that holds it. */
  output(): Writing | Buffer;
}

export interface ResponseReading extends BodyReading {
  /** Bytes of the body, decoded as far as that went. */
  length: number;
}

/** Reads a copy of a response on its way to the agent, within bounds. Never throws. */
export interface ResponseTap {
  /**
   * Takes the next bytes of the body as the provider sent them. The buffer is not changed; it may be kept until `end`.
   *
   * @returns false where the next bytes should wait for {@link whenReady}
   */
  push(chunk: Buffer): boolean;
  /** Calls back once more can be taken. */
  whenReady(go: () => void): void;
  /** Ends the reading, whether the body came to its end or was cut. Call once. */
  end(): Promise<ResponseReading>;
  /** Frees the memory, once the reading is not used any more. */
  release(): void;
}

/** Reads the decoded bytes of one kind of body. */
export interface BodyReader {
  push(chunk: Buffer): void;
  end(): BodyReading;
}

/** The reading of a body that cannot be read. */
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

/**
 * Ends the reading of a stream.
 *
 * @param inspected false where a frame was passed over
 */
export function finishReading(reader: StreamReader, inspected: boolean): BodyReading {
  const { outputText, besideText, isCutShort = false, ...reading } = reader.end();
  const isRead = inspected && !isCutShort;
  return {
    ...reading,
    inspected: isRead,
    output: () => {
      const { parts, whole } = outputText();
      const beside = besideText?.();
      return { parts, beside: beside?.parts ?? [], whole: whole && isRead && beside?.whole !== false };
    },
  };
}

/** The largest parts that are known carry images, of a few MiB. */
const maxPart = 8 * 1024 * 1024;

/** A frame, line or element of a stream that comes in pieces. One that is too long is passed over. */
export class StreamPart {
  readonly #pieces = new GatheredText();
  #length = 0;
  /** False once a part was passed over. */
  isComplete = true;

  /** In UTF-16 units. */
  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length <= maxPart) this.#pieces.add(piece);
    else this.#pieces.clear();
  }

  /** Ends the part. Null where it is empty or too long. */
  take(): string | null {
    const isTooLong = this.#length > maxPart;
    const text = isTooLong || this.#length === 0 ? null : this.#pieces.read();
    if (isTooLong) this.isComplete = false;
    this.#pieces.clear();
    this.#length = 0;
    return text;
  }
}

/** The most that one answer holds while it is read, in bytes: a frame, the figures of an earlier one, and the text so far. */
const maxOfAnswer = 24 * 1024 * 1024;

/** Shared by all answers that a process reads at the same time, in bytes. */
export const maxInspected = 512 * 1024 * 1024;

/** The part of a process's memory for reading answers that one answer has. */
export interface MemoryShare {
  /**
   * @param bytes read until now, which is at least what is held of them
   * @returns false if there is no room: the reader must drop what it holds, and keep nothing more of this answer
   */
  hold(bytes: number): boolean;
  release(): void;
}

/** Opens an answer's share: it grows as the answer comes. @param holder whose answer it is */
export function openMemoryShare(shares: FairShares, holder: Holder): MemoryShare {
  let held = 0;
  const release = () => {
    shares.giveBack(holder, held);
    held = 0;
  };
  return {
    hold(bytes) {
      const more = Math.min(bytes, maxOfAnswer) - held;
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

/** Counts the bytes that a reader gets, and drops the reader with all that it holds once there is no room. */
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
