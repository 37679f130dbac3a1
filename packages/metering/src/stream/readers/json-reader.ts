import { findTrailingMembers } from '../../json/find-trailing-members.ts';
import { isTooPopulated } from '../../json/is-too-populated.ts';
import { asObject, type JsonObject } from '../../json/json-shapes.ts';
import { scanMembers, skipSpace } from '../../json/scan-members.ts';
import { tryParse } from '../../json/try-parse.ts';
import { addBeside } from '../../providers/collect-beside.ts';
import { findLostText } from '../../providers/find-lost-text.ts';
import type { AnswerReading, Operation } from '../../providers/operation.ts';
import { GatheredBytes } from '../gathered-bytes.ts';
import { type BodyReader, type BodyReading, nothingRead } from './response-reading.ts';

/** Of a larger body only the end is kept. */
const maxBody = 8 * 1024 * 1024;

/** A larger body is not parsed unless it must be: parsing holds up everything else that the process does. */
const maxEagerParse = 128 * 1024;

const tailLength = 64 * 1024;

/** Reads a JSON body when it is whole. */
export class JsonReader implements BodyReader {
  readonly #operation: Operation;
  readonly #bytes = new GatheredBytes();
  #isCut = false;

  constructor(operation: Operation) {
    this.#operation = operation;
  }

  push(chunk: Buffer): void {
    this.#bytes.add(chunk);
    if (this.#bytes.length > maxBody) this.#isCut = true;
    if (this.#isCut) this.#bytes.keepLast(tailLength);
  }

  end(): BodyReading {
    const bytes = this.#bytes.take();
    if (bytes.length > maxEagerParse || this.#isCut) {
      const outline = this.#isCut ? findTrailingMembers(bytes.subarray(-tailLength)) : readOutline(bytes);
      const reading = this.#operation.readAnswer(outline);
      if (this.#isCut) {
        // Figures of results stand within them, not at the end.
        const { billedOnce, showsOtherBills } = this.#operation;
        const inspected = reading.usage !== null || (billedOnce === undefined && !showsOtherBills);
        return { ...finish(reading, () => ({ parts: [], whole: false })), inspected };
      }
      const isTold = reading.usage !== null && !this.#operation.figuresWithin?.some((name) => bytes.includes(name));
      if (isTold) return finish(reading, () => bytes);
    }
    // Parsing so many values would hold up the event loop. A worker reads the text.
    if (bytes.length > maxEagerParse && isTooPopulated(bytes)) return { ...nothingRead, output: () => bytes };
    const body = tryParse(bytes);
    // The connection broke, or the agent left: the part that came is read when its text is needed.
    if (body === undefined) return { ...nothingRead, output: () => bytes };
    const { outputText, ...reading } = this.#operation.readAnswer(body);
    // An answer with an error and with text is billed.
    const isError = reading.usage === null && Boolean(asObject(body).error) && outputText().parts.length === 0;
    const findLost = () => findLostText(bytes.toString('utf8'), body);
    return { ...finish(reading, () => addBeside('answer', body, outputText(), findLost())), isError };
  }
}

/** The short members of the root. The model's text is skipped, not parsed. */
function readOutline(bytes: Buffer): JsonObject {
  const found = scanMembers(bytes, skipSpace(bytes, 0))?.members ?? [];
  const short = found.filter(({ start, end }) => end - start <= tailLength);
  return Object.fromEntries(short.map(({ key, start, end }) => [key, tryParse(bytes.subarray(start, end))]));
}

function finish(reading: Omit<AnswerReading, 'outputText'>, output: BodyReading['output']): BodyReading {
  const { model, usage, serviceTier, calls } = reading;
  return {
    model,
    usage,
    serviceTier,
    ...(calls && { calls }),
    usageIsFinal: usage !== null,
    sawEnd: true,
    failed: false,
    inspected: true,
    output,
  };
}
