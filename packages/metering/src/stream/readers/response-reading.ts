import type { StreamReader, StreamReading, Writing } from '../../providers/operation.ts';

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
