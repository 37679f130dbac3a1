import { asArray, asObject } from '../../json/json-shapes.ts';
import { parseFrame } from '../../json/parse-frame.ts';
import { FrameSplitter } from '../readers/frame-splitter.ts';
import { readFrame } from '../readers/read-frame.ts';
import { NullUsageRemover } from './null-usage-remover.ts';

/** A longer frame is let through: the usage chunk is a tenth of this. */
const maxHeld = 16 * 1024;

/** The start of a frame whose data is no object, or that has something among its choices. */
const cannotBeUsage = /^data: ?[^{ \r\n]|"choices"\s*:\s*\[\s*[^\]\s]/;

/**
 * The chunk that `include_usage` adds has figures and an empty list of choices. One with another list that is not empty, such
 * as the sources of a search, is meant for the agent.
 */
function isUsageFrame(frame: string): boolean {
  if (!frame.includes('"usage"') || cannotBeUsage.test(frame)) return false;
  const chunk = asObject(parseFrame(readFrame(frame)?.data ?? ''));
  const hasFigures = typeof chunk.usage === 'object' && chunk.usage !== null && !Array.isArray(chunk.usage);
  const hasLists = Object.values(chunk).some((value) => asArray(value).length > 0);
  return hasFigures && Array.isArray(chunk.choices) && !hasLists;
}

/**
 * Takes the usage chunk that the proxy asked for out of an SSE stream that the agent reads, and the `"usage":null` that
 * asking brings into the other chunks. All other bytes go through as they are, each as soon as it is clear that its
 * frame is another one.
 *
 *   undecided --frame is another, or too long--> passing --frame ends--> undecided
 *       |                                                                    ^
 *       +--frame ends: dropped if it is the usage chunk, else passed---------+
 */
export class StreamUsageStripper {
  readonly #splitter = new FrameSplitter();
  readonly #nullUsage = new NullUsageRemover();
  /** The bytes of the undecided frame that came with earlier chunks. */
  #held: Buffer[] = [];
  #heldText = '';
  /** Characters of it when it was last looked at. */
  #looked = 0;
  #passing = false;
  #droppedLast = false;

  /** Takes the provider's next bytes and returns those that the agent gets now. */
  push(chunk: Buffer): Buffer {
    const text = chunk.toString('latin1');
    const out: Buffer[] = [];
    let passFrom = -1;
    let passTo = -1;
    // Neighbouring frames go out as one slice of the chunk.
    const pass = (start: number, end: number) => {
      if (passTo !== start) {
        if (passTo > passFrom) out.push(chunk.subarray(passFrom, passTo));
        passFrom = start;
      }
      passTo = end;
    };
    this.#splitter.push(text, (start, end, kind) => {
      if (kind === 'tail') {
        if (!this.#droppedLast) pass(start, end);
        return;
      }
      if (!this.#passing) {
        const frame = this.#heldText + text.slice(start, end);
        if (kind === 'part' && frame.length <= maxHeld && this.#mayBeUsage(frame)) {
          // A copy, since the caller may use the chunk's memory again.
          this.#held.push(Buffer.from(chunk.subarray(start, end)));
          this.#heldText = frame;
          return;
        }
        this.#droppedLast = kind === 'end' && isUsageFrame(frame);
        if (!this.#droppedLast) out.push(...this.#held);
        this.#held = [];
        this.#heldText = '';
        this.#looked = 0;
        this.#passing = kind === 'part';
        if (!this.#droppedLast) pass(start, end);
        return;
      }
      pass(start, end);
      if (kind === 'end') this.#passing = false;
    });
    if (passTo > passFrom) out.push(chunk.subarray(passFrom, passTo));
    return this.#nullUsage.push(out.length === 1 && out[0] ? out[0] : Buffer.concat(out));
  }

  /** Looks again once there is an eighth more to see: a frame may come byte by byte. */
  #mayBeUsage(frame: string): boolean {
    if (frame.length < this.#looked * 1.125) return true;
    this.#looked = frame.length;
    return !cannotBeUsage.test(frame);
  }

  /** The bytes that are still held when the stream ends; a last frame needs no blank line. */
  end(): Buffer {
    const rest = isUsageFrame(this.#heldText) ? [] : this.#held;
    this.#held = [];
    this.#heldText = '';
    return Buffer.concat([this.#nullUsage.push(Buffer.concat(rest)), this.#nullUsage.end()]);
  }
}
