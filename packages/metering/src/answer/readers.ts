import { mayCall } from '../dialects/named-tools.ts';
import type { AnswerReading, Operation, StreamReader } from '../dialects/operation.ts';
import { Frame } from '../json/frame.ts';
import { asObject, isTooPopulated, type JsonObject, tryParse } from '../json/members.ts';
import { backslash, closeBrace, findTrailingMembers, openBrace, quote, scanMembers, skipSpace } from '../json/scan.ts';
import { addBeside } from '../text/beside.ts';
import { GatheredBytes } from './held-pieces.ts';
import { type BodyReader, type BodyReading, finishReading, nothingRead, StreamPart } from './reading.ts';

/** Reads a JSON array element by element, as Gemini streams without `alt=sse`, or a single object. */
export class ArrayReader implements BodyReader {
  readonly #reader: StreamReader;
  readonly #element = new StreamPart();
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (code === backslash) this.#escaped = true;
        else if (code === quote) this.#inString = false;
      } else if (code === quote) {
        this.#inString = this.#depth > 0;
      } else if (code === openBrace) {
        if (this.#depth === 0) start = i;
        this.#depth += 1;
      } else if (code === closeBrace && this.#depth > 0) {
        this.#depth -= 1;
        if (this.#depth === 0) {
          this.#element.add(text.slice(start, i + 1));
          const element = this.#element.take();
          const { ends } = this.#element;
          if (element !== null) this.#reader.push(new Frame('', element));
          else if (ends) this.#reader.pushEnds?.('', ends.head, ends.tail);
        }
      }
    }
    if (this.#depth > 0) this.#element.add(text.slice(start));
  }

  end(): BodyReading {
    const { output, ...reading } = finishReading(this.#reader, this.#element.isComplete);
    const isCut = this.#depth > 0;
    return {
      ...reading,
      output: () => {
        const written = output();
        return isCut && !Buffer.isBuffer(written) ? { ...written, whole: false } : written;
      },
    };
  }
}

/** A larger body of JSON is kept by its end alone; a longer text is cut here. */
const maxBody = 8 * 1024 * 1024;

/** A larger body is not parsed unless it must be: parsing holds up everything else that the process does. */
export const maxEagerParse = 128 * 1024;

/** JSON of more values is not parsed here: it would take longer than others may wait. */
export const maxEagerValues = 200_000;

/** A larger body is not parsed for the tools alone that it calls. */
const maxNamed = 1024 * 1024;

const tailLength = 64 * 1024;

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

  end(value?: unknown): BodyReading {
    const bytes = this.#bytes.take();
    if (bytes.length > maxEagerParse || this.#isCut) {
      const outline = this.#isCut ? findTrailingMembers(bytes.subarray(-tailLength)) : readOutline(bytes);
      const reading = this.#operation.readAnswer(outline);
      if (this.#isCut) {
        // Figures of results stand within them, not at the end.
        const { billedOnce, showsOtherBills } = this.#operation;
        const inspected = reading.usage !== null || (billedOnce === undefined && !showsOtherBills);
        return { ...finish(reading, () => ({ parts: [], whole: false })), ...this.#listCalled(null), inspected };
      }
      const isTold = reading.usage !== null && !this.#operation.figuresWithin?.some((name) => bytes.includes(name));
      if (isTold) return { ...finish(reading, () => bytes), ...this.#listCalled(bytes) };
    }
    // Parsing so many values would hold up the event loop. A worker reads the text.
    if (bytes.length > maxEagerParse && isTooPopulated(bytes, maxEagerValues))
      return { ...nothingRead, output: () => bytes };
    const body = value ?? tryParse(bytes);
    // The connection broke, or the agent left: the part that came is read when its text is needed.
    if (body === undefined) return { ...nothingRead, output: () => bytes };
    const reading = this.#operation.readAnswer(body);
    const { outputText } = reading;
    // An answer with an error and with text is billed.
    const isError = reading.usage === null && Boolean(asObject(body).error) && outputText().parts.length === 0;
    return { ...finish(reading, () => addBeside('answer', body, outputText())), isError, ...this.#listCalled(body) };
  }

  /** @param answer bytes are parsed only if a call may be among them; null for one that is too large */
  #listCalled(answer: unknown): Pick<BodyReading, 'called'> {
    const naming = this.#operation.answerNames;
    if (naming === undefined) return {};
    if (!Buffer.isBuffer(answer)) return { called: naming.read(asObject(answer)).called };
    const isRead = answer.length <= maxNamed && mayCall(naming, answer);
    return { called: isRead ? naming.read(asObject(tryParse(answer))).called : [] };
  }
}

function readOutline(bytes: Buffer): JsonObject {
  const found = scanMembers(bytes, skipSpace(bytes, 0))?.members ?? [];
  const short = found.filter(({ start, end }) => end - start <= tailLength);
  return Object.fromEntries(short.map(({ key, start, end }) => [key, tryParse(bytes.subarray(start, end))]));
}

function finish({ outputText: _, ...reading }: AnswerReading, output: BodyReading['output']): BodyReading {
  return { ...reading, usageIsFinal: reading.usage !== null, sawEnd: true, failed: false, inspected: true, output };
}

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
