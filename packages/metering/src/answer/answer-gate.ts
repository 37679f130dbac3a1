import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerNames, AnswerNaming } from '../dialects/named-tools.ts';
import type { Operation } from '../dialects/operation.ts';
import { asObject, parseFrame, tryParse } from '../json/members.ts';
import { FrameSplitter, readFrame } from './sse-reader.ts';

/** Holds back of an answer what is not known to be allowed, from the first part on that is not. */
export interface AnswerGate {
  /** Nothing passes before `end`, so its status may still become another. */
  readonly isWhole: boolean;
  /** @returns what may go on to the agent */
  push(chunk: Buffer): Buffer;
  /** @returns the rest that may */
  end(): Buffer;
  /** Gives back what it holds; call it however the answer ends. */
  release(): void;
}

/** Whether what an answer has named so far is allowed; null if a part cannot be read. */
export type Allows = (names: AnswerNames | null) => boolean;

/** A longer frame, or line, cannot be read. */
const maxFrame = 8 * 1024 * 1024;
/** A longer answer that is no stream cannot be read. */
const maxWhole = 16 * 1024 * 1024;

/** What all answers of this process hold together; more cannot be read. */
const maxHeld = 256 * 1024 * 1024;
let heldByAll = 0;

const nothing: Buffer = Buffer.alloc(0);

/** Pieces of an answer that wait, counted against what all may hold. */
class HeldPieces {
  #pieces: Buffer[] = [];
  length = 0;

  /** @returns false if it is more than `most`, or all hold too much */
  add(piece: Buffer, most: number): boolean {
    this.#pieces.push(piece);
    this.length += piece.length;
    heldByAll += piece.length;
    return this.length <= most && heldByAll <= maxHeld;
  }

  take(): Buffer {
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.clear();
    return bytes;
  }

  clear(): void {
    heldByAll -= this.length;
    this.length = 0;
    this.#pieces = [];
  }
}

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
  isAllowed = true;
  readonly #naming: AnswerNaming;
  readonly #kind: 'frames' | 'lines';
  readonly #allows: Allows;
  readonly #splitter = new FrameSplitter();
  readonly #held = new HeldPieces();
  #hasModel = false;

  constructor(naming: AnswerNaming, kind: 'frames' | 'lines', allows: Allows) {
    this.#naming = naming;
    this.#kind = kind;
    this.#allows = allows;
  }

  push(chunk: Buffer): Buffer {
    const passed: Buffer[] = [];
    let start = 0;
    for (const end of this.#findEnds(chunk)) {
      this.#held.add(chunk.subarray(start, end), maxFrame);
      start = end;
      const frame = this.#held.take();
      this.isAllowed &&= this.#judge(frame.toString('latin1'));
      if (!this.isAllowed) return Buffer.concat(passed);
      passed.push(frame);
    }
    if (start < chunk.length && !this.#held.add(chunk.subarray(start), maxFrame)) {
      this.isAllowed &&= this.#allows(null);
      if (this.isAllowed) passed.push(this.#held.take());
    }
    return passed.length === 1 ? (passed[0] as Buffer) : Buffer.concat(passed);
  }

  end(): Buffer {
    const rest = this.#held.take();
    if (rest.length > 0) this.isAllowed &&= this.#judge(rest.toString('latin1'));
    return this.isAllowed ? rest : nothing;
  }

  release(): void {
    this.#held.clear();
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
    // What is no JSON at all (`[DONE]`) calls nothing.
    if (frame === null || typeof frame !== 'object') return !/^\s*[{[]\s*["{]/.test(data) || this.#allows(null);
    const names = this.#naming.read(asObject(frame));
    this.#hasModel ||= names.model !== null;
    return this.#allows(names);
  }
}

class WholeGate implements AnswerGate {
  readonly isWhole = true;
  readonly #naming: AnswerNaming;
  readonly #allows: Allows;
  readonly #held = new HeldPieces();
  #isPassing = false;

  constructor(naming: AnswerNaming, allows: Allows) {
    this.#naming = naming;
    this.#allows = allows;
  }

  push(chunk: Buffer): Buffer {
    if (this.#isPassing) return chunk;
    if (this.#held.add(chunk, maxWhole)) return nothing;
    return this.#pass(this.#held.take(), this.#allows(null));
  }

  end(): Buffer {
    const bytes = this.#held.take();
    if (bytes.length === 0) return nothing;
    const value = tryParse(bytes);
    if (value !== undefined)
      return this.#pass(
        bytes,
        [value].flat().every((each) => this.#allows(this.#naming.read(asObject(each)))),
      );
    if (!/^\s*(?:data|event|id|retry|):/.test(bytes.toString('latin1', 0, 1_024)))
      return this.#pass(bytes, this.#allows(null));
    const gate = new FrameGate(this.#naming, 'frames', this.#allows);
    gate.push(bytes);
    gate.end();
    return this.#pass(bytes, gate.isAllowed);
  }

  release(): void {
    this.#held.clear();
  }

  #pass(bytes: Buffer, isAllowed: boolean): Buffer {
    this.#isPassing = isAllowed;
    return isAllowed ? bytes : nothing;
  }
}
