import type { StreamReader, StreamReading, Writing } from '../../providers/operation.ts';

/** What a response said about its model call; see {@link StreamReading}. */
export interface BodyReading extends Omit<StreamReading, 'outputText' | 'besideText' | 'isCutShort'> {
  /**
   * Whether the body could be read: false for content types that say nothing about usage, for
   * encodings that are not decoded, and for bodies that broke or passed a bound.
   */
  inspected: boolean;
  /**
   * All of it was passed by, whatever it holds: its type or its encoding is none that is read (`unknown`), or too much was being
   * read at the same time (`overloaded`).
   */
  passedBy?: 'unknown' | 'overloaded';
  /** An answer that is an error and nothing else, whatever its status. */
  isError?: boolean;
  /** What the model wrote, or the body in which it is still to be read. */
  output(): Writing | Buffer;
}

/** The same with how much there was. */
export interface ResponseReading extends BodyReading {
  /** Bytes of the body, decoded as far as that went. */
  length: number;
}

/** Reads a response beside its way to the agent. Never throws, holds a bounded copy. */
export interface ResponseTap {
  /**
   * Takes the next bytes of the body as the provider sent them. The buffer is not changed; it may be kept until `end`.
   *
   * @returns false where the next bytes should wait for {@link whenReady}
   */
  push(chunk: Buffer): boolean;
  /** Calls back once more can be taken. */
  whenReady(go: () => void): void;
  /** What was read, whether the body came to its end or was cut. Call once. */
  end(): Promise<ResponseReading>;
  /** What was read is of no more use, and its memory is free for others. */
  release(): void;
}

/** Reads the decoded bytes of one kind of body. */
export interface BodyReader {
  push(chunk: Buffer): void;
  end(): BodyReading;
}

/** What is known of a body that cannot be read. */
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
 * What a stream's reader knows when the body has ended.
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
