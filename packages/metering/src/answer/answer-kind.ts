import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '../dialects/operation.ts';
import { eventStreamType } from './event-stream.ts';
import type { Framing } from './frames.ts';

/** How an answer is read: as frames, as elements of an array, as one object, as the model's text, or not at all. */
export type AnswerKind = Framing | 'array' | 'object' | 'text' | 'media' | 'unknown';

const plainText = /^(?:text\/(?:plain|vtt|srt)|application\/x-subrip)$/;

/** Types under which servers send JSON and streams alike, beside the right ones. */
const mislabelled = /^(?:|text\/plain|text\/html|application\/octet-stream|application\/x-ndjson)$/;

const json = /^\s*[{[]/;
const frame = /^\s*(?:data|event|id|retry|):/;

/** More than these begin no answer: what it is must be known by then, in bytes. */
export const longestStart = 1_024;

const shortestStart = 'event:'.length;

const toType = (headers: IncomingHttpHeaders) =>
  /^[^;,\s]+/.exec(headers['content-type']?.trim() ?? '')?.[0].toLowerCase() ?? '';

/** The framing of what calls itself a stream of events; null for anything else. */
export function findFraming(headers: IncomingHttpHeaders): 'frames' | 'events' | null {
  const type = toType(headers);
  return type === 'text/event-stream' ? 'frames' : type === eventStreamType ? 'events' : null;
}

/** What an answer is, by its type and, since servers send streams as JSON or text and JSON as a stream, by its first bytes. */
export class AnswerSniffer {
  readonly #operation: Operation;
  readonly #type: string;
  readonly #isJson: boolean;
  readonly #framing: ReturnType<typeof findFraming>;
  /** By its type alone. */
  readonly isStream: boolean;

  constructor(operation: Operation, headers: IncomingHttpHeaders) {
    this.#operation = operation;
    this.#type = toType(headers);
    this.#framing = findFraming(headers);
    this.isStream = this.#framing !== null;
    this.#isJson = this.#type === 'application/json' || this.#type.endsWith('+json');
  }

  /** Whether it may be SSE frames, which nobody would expect of JSON. */
  get mayStream(): boolean {
    return this.isStream || mislabelled.test(this.#type);
  }

  /** Its kind by its type alone; null if the first bytes say. */
  fromType(): AnswerKind | null {
    // JSON lines come under several content types (application/x-jsonl, application/binary ...).
    if (this.#operation.answerFormat === 'lines') return 'lines';
    if (this.#framing === 'events') return 'events';
    if (this.isStream || this.#isJson) return null;
    return mislabelled.test(this.#type) && !this.#operation.otherAnswers ? null : this.#fromOtherType();
  }

  /** @param start the first bytes, as latin1; null if they are too few to tell, unless there are no more */
  fromStart(start: string, isAll: boolean): AnswerKind | null {
    if (!isAll && start.trimStart().length < shortestStart && start.length <= longestStart) return null;
    if (json.test(start) || (this.#isJson && !frame.test(start)))
      return this.#operation.answerFormat === 'array' ? 'array' : 'object';
    return this.isStream || frame.test(start) ? 'frames' : this.#fromOtherType();
  }

  /** An error page is text, but not of the model's. */
  #fromOtherType(): AnswerKind {
    const { otherAnswers } = this.#operation;
    if (otherAnswers === 'text' && plainText.test(this.#type)) return 'text';
    return otherAnswers === 'media' && !this.#type.startsWith('text/') ? 'media' : 'unknown';
  }
}
