import { asArray, asObject, parseFrame } from '../json/members.ts';
import { FrameSplitter, readFrame } from './sse-reader.ts';

const spellings = [Buffer.from(',"usage":null'), Buffer.from(', "usage": null')];
const longestStart = Math.max(...spellings.map(({ length }) => length)) - 1;
const nothing = Buffer.alloc(0);

/** Takes out the `"usage":null` that OpenAI puts into every chunk but the last if `include_usage` was asked for. */
class NullUsageRemover {
  #held: Buffer = nothing;

  push(chunk: Buffer): Buffer {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (const spelling of spellings) bytes = remove(bytes, spelling);
    const clear = bytes.length - unfinishedLength(bytes);
    // A copy, since the caller may use the chunk's memory again.
    this.#held = clear === bytes.length ? nothing : Buffer.from(bytes.subarray(clear));
    return bytes.subarray(0, clear);
  }

  end(): Buffer {
    const rest = this.#held;
    this.#held = nothing;
    return rest;
  }
}

function remove(bytes: Buffer, spelling: Buffer): Buffer {
  let at = bytes.indexOf(spelling);
  if (at < 0) return bytes;
  const kept: Buffer[] = [];
  let from = 0;
  for (; at >= 0; at = bytes.indexOf(spelling, from)) {
    kept.push(bytes.subarray(from, at));
    from = at + spelling.length;
  }
  kept.push(bytes.subarray(from));
  return Buffer.concat(kept);
}

function unfinishedLength(bytes: Buffer): number {
  const comma = bytes.lastIndexOf(',');
  const length = bytes.length - comma;
  if (comma < 0 || length > longestStart) return 0;
  return spellings.some((spelling) => bytes.subarray(comma).equals(spelling.subarray(0, length))) ? length : 0;
}

/** A longer frame is let through: the usage chunk is a tenth of this. */
const maxHeld = 16 * 1024;

/** The start of a frame whose data is no object, or that has something among its choices. */
const cannotBeUsage = /^data: ?[^{ \r\n]|"choices"\s*:\s*\[\s*[^\]\s]/;

/** Has figures and no choices; a list that is not empty, such as sources, is for the agent. */
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
  #held: Buffer[] = [];
  #heldText = '';
  #looked = 0;
  #passing = false;
  #droppedLast = false;

  push(chunk: Buffer): Buffer {
    const text = chunk.toString('latin1');
    const out: Buffer[] = [];
    let passFrom = -1;
    let passTo = -1;
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

  end(): Buffer {
    const rest = isUsageFrame(this.#heldText) ? [] : this.#held;
    this.#held = [];
    this.#heldText = '';
    return Buffer.concat([this.#nullUsage.push(Buffer.concat(rest)), this.#nullUsage.end()]);
  }
}
