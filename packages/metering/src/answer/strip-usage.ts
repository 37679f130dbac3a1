import type { Frame } from '../json/frame.ts';
import { asArray } from '../json/members.ts';
import { type FrameFilter, nothing, type StreamPart } from './reading.ts';

const spellings = [',"usage":null', ', "usage": null'].map((text) => ({ text, bytes: Buffer.from(text) }));
const longestStart = Math.max(...spellings.map(({ text }) => text.length)) - 1;

/** A longer frame is let through: the usage chunk is a tenth of this. */
const maxHeld = 16 * 1024;

/** The start of a frame whose data is no object, or that has something among its choices. */
const cannotBeUsage = /^data: ?[^{ \r\n]|"choices"\s*:\s*\[\s*[^\]\s]/;

const hasChoices = /"choices"\s*:\s*\[\s*[^\]\s]/;

/** Has figures and no choices; a list that is not empty, such as sources, is for the agent. */
function isUsageFrame(frame: Frame): boolean {
  if (!frame.data.includes('"usage"') || hasChoices.test(frame.data)) return false;
  const chunk = frame.object();
  const hasFigures = typeof chunk.usage === 'object' && chunk.usage !== null && !Array.isArray(chunk.usage);
  const hasLists = Object.values(chunk).some((value) => asArray(value).length > 0);
  return hasFigures && Array.isArray(chunk.choices) && !hasLists;
}

/**
 * Takes the usage chunk that the proxy asked for out of a stream, and the `"usage":null` that asking brings into the other chunks. All other
 * bytes go through as they are, each as soon as it is clear that its frame is another one.
 */
export class UsageStripper implements FrameFilter {
  #looked = 0;
  /** The end of a piece that may be the begin of `"usage":null`. */
  #kept: Buffer = nothing;

  judge(frame: Frame | null): 'passes' | 'dropped' {
    this.#looked = 0;
    return frame !== null && isUsageFrame(frame) ? 'dropped' : 'passes';
  }

  /** Looks again once there is an eighth more to see: a frame may come byte by byte. */
  holds(beginning: StreamPart): boolean {
    if (beginning.length > maxHeld) return false;
    if (beginning.length < this.#looked * 1.125) return true;
    const mayBe = !cannotBeUsage.test(beginning.peek());
    this.#looked = mayBe ? beginning.length : 0;
    return mayBe;
  }

  rewrite(bytes: Buffer, text: string): Buffer {
    const isPlain = this.#kept.length === 0 && !text.includes('"usage"') && unfinishedLength(text) === 0;
    return isPlain ? bytes : this.#remove(Buffer.concat([this.#kept, bytes]));
  }

  end(): Buffer {
    return this.#kept;
  }

  #remove(whole: Buffer): Buffer {
    let bytes = whole;
    for (const spelling of spellings) bytes = remove(bytes, spelling.bytes);
    const clear = bytes.length - unfinishedLength(bytes.toString('latin1'));
    this.#kept = bytes.subarray(clear);
    return bytes.subarray(0, clear);
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

function unfinishedLength(text: string): number {
  const comma = text.lastIndexOf(',');
  const length = text.length - comma;
  if (comma < 0 || length > longestStart) return 0;
  return spellings.some((spelling) => spelling.text.startsWith(text.slice(comma))) ? length : 0;
}
