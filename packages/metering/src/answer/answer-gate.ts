import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerNames, AnswerNaming } from '../dialects/named-tools.ts';
import type { Operation } from '../dialects/operation.ts';
import { asObject, parseFrame, tryParse } from '../json/members.ts';
import { FrameSplitter, readFrame } from './sse-reader.ts';

/** What may go on to the agent; the answer ends after it if it is not allowed to go on. */
export interface Passed {
  bytes: Buffer;
  isAllowed: boolean;
}

/** Holds back of an answer what is not known to be allowed. */
export interface AnswerGate {
  /** Nothing passes before `end`, so its status may still become another. */
  readonly isWhole: boolean;
  push(chunk: Buffer): Passed;
  end(): Passed;
}

/** Whether what an answer has named so far is allowed; null if a part cannot be read. */
export type Allows = (names: AnswerNames | null) => boolean;

/** A longer frame, or line, cannot be read. */
const maxFrame = 8 * 1024 * 1024;
/** A longer answer that is no stream cannot be read. */
const maxWhole = 16 * 1024 * 1024;

const nothing: Buffer = Buffer.alloc(0);

/** Null if the operation's answers name nothing, by their type or at all. */
export function openAnswerGate(operation: Operation, headers: IncomingHttpHeaders, allows: Allows): AnswerGate | null {
  const { answerNames, answerFormat, otherAnswers } = operation;
  if (answerNames === undefined) return null;
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isJson = type === 'application/json' || type.endsWith('+json');
  if (answerFormat === 'lines') return new FrameGate(answerNames, 'lines', allows);
  if (type === 'text/event-stream') return new FrameGate(answerNames, 'frames', allows);
  return otherAnswers !== undefined && !isJson ? null : new WholeGate(answerNames, allows);
}

class FrameGate implements AnswerGate {
  readonly isWhole = false;
  readonly #naming: AnswerNaming;
  readonly #kind: 'frames' | 'lines';
  readonly #allows: Allows;
  readonly #splitter = new FrameSplitter();
  #held = nothing;
  #hasModel = false;

  constructor(naming: AnswerNaming, kind: 'frames' | 'lines', allows: Allows) {
    this.#naming = naming;
    this.#kind = kind;
    this.#allows = allows;
  }

  push(chunk: Buffer): Passed {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const before = this.#held.length;
    let passed = 0;
    let isAllowed = true;
    for (const end of this.#findEnds(chunk)) {
      isAllowed &&= this.#judge(bytes.subarray(passed, before + end).toString('latin1'));
      if (!isAllowed) break;
      passed = before + end;
    }
    if (isAllowed && bytes.length - passed > maxFrame) {
      isAllowed = this.#allows(null);
      if (isAllowed) passed = bytes.length;
    }
    this.#held = bytes.subarray(passed);
    return { bytes: bytes.subarray(0, passed), isAllowed };
  }

  end(): Passed {
    const isAllowed = this.#held.length === 0 || this.#judge(this.#held.toString('latin1'));
    return { bytes: isAllowed ? this.#held : nothing, isAllowed };
  }

  /** Where frames or lines end in a chunk. */
  #findEnds(chunk: Buffer): number[] {
    const ends: number[] = [];
    if (this.#kind === 'lines')
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) ends.push(at + 1);
    else
      this.#splitter.push(chunk.toString('latin1'), (_start, end, kind) => {
        if (kind !== 'part') ends.push(end);
      });
    return ends;
  }

  #judge(text: string): boolean {
    const data = this.#kind === 'lines' ? text : (readFrame(text.replace(/^\xef\xbb\xbf/, ''))?.data ?? '');
    if (this.#hasModel && this.#kind === 'frames' && !this.#naming.marks.test(data)) return true;
    const frame = parseFrame(data);
    if (frame === null || typeof frame !== 'object') return true;
    const names = this.#naming.read(asObject(frame));
    this.#hasModel ||= names.model !== null;
    return this.#allows(names);
  }
}

class WholeGate implements AnswerGate {
  readonly isWhole = true;
  readonly #naming: AnswerNaming;
  readonly #allows: Allows;
  #chunks: Buffer[] = [];
  #length = 0;
  #isPassing = false;

  constructor(naming: AnswerNaming, allows: Allows) {
    this.#naming = naming;
    this.#allows = allows;
  }

  push(chunk: Buffer): Passed {
    if (this.#isPassing) return { bytes: chunk, isAllowed: true };
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= maxWhole) return { bytes: nothing, isAllowed: true };
    return this.#pass(this.#allows(null));
  }

  end(): Passed {
    if (this.#isPassing || this.#length === 0) return { bytes: nothing, isAllowed: true };
    const bytes = Buffer.concat(this.#chunks);
    const value = tryParse(bytes);
    if (value !== undefined)
      return this.#pass([value].flat().every((each) => this.#allows(this.#naming.read(asObject(each)))));
    const gate = new FrameGate(this.#naming, 'frames', this.#allows);
    const isStream = /^\s*(?:data|event|id|retry|):/.test(bytes.toString('latin1', 0, 1_024));
    return this.#pass(isStream ? gate.push(bytes).isAllowed && gate.end().isAllowed : this.#allows(null));
  }

  #pass(isAllowed: boolean): Passed {
    const bytes = isAllowed ? Buffer.concat(this.#chunks) : nothing;
    this.#chunks = [];
    this.#isPassing = isAllowed;
    return { bytes, isAllowed };
  }
}
