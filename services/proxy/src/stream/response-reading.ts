import type { StreamReader, StreamReading, Writing } from '../providers/operation.ts';

/** What a response said about its model call; see {@link StreamReading}. */
export interface ResponseReading extends Omit<StreamReading, 'outputText' | 'besideText'> {
  /**
   * Whether the body could be read: false for content types that say nothing about usage, for
   * encodings that are not decoded, and for bodies that broke or passed a bound.
   */
  inspected: boolean;
  /** An answer that is an error and nothing else, whatever its status. */
  isError?: boolean;
  /** What the model wrote, or the body in which it is still to be read. */
  output(): Writing | Buffer;
}

/** Reads a response beside its way to the agent. Never throws, never delays, holds a bounded copy. */
export interface ResponseTap {
  /** Takes the next bytes of the body as the provider sent them. The buffer is not changed; it may be kept until `end`. */
  push(chunk: Buffer): void;
  /** What was read, whether the body came to its end or was cut. Call once. */
  end(): Promise<ResponseReading>;
}

/** Reads the decoded bytes of one kind of body. */
export interface BodyReader {
  push(chunk: Buffer): void;
  end(): ResponseReading;
}

/** What is known of a body that cannot be read. */
export const nothingRead: ResponseReading = {
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
export function finishReading(reader: StreamReader, inspected: boolean): ResponseReading {
  const { outputText, besideText, ...reading } = reader.end();
  return {
    ...reading,
    inspected,
    output: () => {
      const { parts, whole } = outputText();
      const beside = besideText?.();
      return { parts, beside: beside?.parts ?? [], whole: whole && inspected && beside?.whole !== false };
    },
  };
}
