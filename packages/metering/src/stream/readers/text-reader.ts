import type { Operation } from '../../providers/operation.ts';
import { GatheredBytes } from '../gathered-bytes.ts';
import type { BodyReader, BodyReading } from './response-reading.ts';

/** Longer texts are cut here. */
const maxBody = 8 * 1024 * 1024;

/** Reads a body of plain text, which reports no usage. */
export class TextReader implements BodyReader {
  readonly #operation: Operation;
  readonly #bytes = new GatheredBytes();
  #length = 0;

  constructor(operation: Operation) {
    this.#operation = operation;
  }

  push(chunk: Buffer): void {
    if (this.#length <= maxBody) this.#bytes.add(chunk);
    this.#length += chunk.length;
  }

  end(): BodyReading {
    const text = this.#bytes.take().toString('utf8');
    const { outputText, ...reading } = this.#operation.readAnswer(text);
    return {
      ...reading,
      usageIsFinal: false,
      sawEnd: false,
      failed: false,
      inspected: true,
      output: () => {
        const { parts, whole } = outputText();
        return { parts, whole: whole && this.#length <= maxBody };
      },
    };
  }
}
