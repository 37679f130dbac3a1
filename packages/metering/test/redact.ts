import { FrameRedactor } from '../src/answer/frame-redactor.ts';
import { Frame } from '../src/json/frame.ts';
import { openSearch, type Redactor, type SearchConfig } from '../src/redaction/redaction.ts';

/** Puts `[kind]` in place of what is found; `blocks` ends the answer instead. */
export function openRedactor(
  kinds: readonly string[],
  { blocks = false, ...config }: Partial<SearchConfig> & { blocks?: boolean } = {},
): Redactor & { unread: string[]; found: string[]; hasEnded: boolean } {
  const whole = { kinds, patterns: [], findsLabels: false, ...config };
  const unread: string[] = [];
  const found: string[] = [];
  return {
    config: whole,
    search: openSearch(whole),
    unread,
    found,
    put(kind, value) {
      found.push(value);
      if (blocks) this.hasEnded = true;
      return blocks ? null : `[${kind}]`;
    },
    passesUnread: (what) => unread.push(what) > 0,
    hasEnded: false,
  };
}

/** What passes of a stream of frames, one after the other. */
export function passFrames(redactor: Redactor, frames: readonly unknown[]): { passed: unknown[]; most: number } {
  const filter = new FrameRedactor(redactor, 'frames');
  let text = '';
  let most = 0;
  for (const frame of frames) {
    const data = Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)).toString('latin1');
    const raw = Buffer.from(`data: ${data}\n\n`, 'latin1');
    if (redactor.hasEnded) break;
    text += filter.take(new Frame('', data), raw).toString('utf8');
    most = Math.max(most, filter.held);
  }
  if (!redactor.hasEnded) text += filter.end().toString('utf8');
  const lines = text.split('\n\n').filter((line) => line !== '');
  return { passed: lines.map((line) => JSON.parse(line.slice('data: '.length)) as unknown), most };
}
