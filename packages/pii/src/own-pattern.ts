import { RE2JS } from 're2js';

/** The most states of a compiled pattern, each of which one character of a text may cost. */
export const maxProgram = 2_000;

/** How much of a text is matched at once, in lengths of the longest match: what begins in it costs no more. */
const chunkLengths = 4;

/** Visits matches from left to right, without overlaps; the empty one is none. */
export type PatternMatcher = (text: string, visit: (start: number, end: number) => void) => void;

const isAnchored = (pattern: string): boolean => /[$^]|\\[AzZ]/.test(pattern.replaceAll(/\\[^AzZ]|\[\^/g, ''));

/**
 * @param longest the most UTF-16 units of a match
 * @throws Error that says why, in words for people, if the pattern is not of RE2's syntax, is too large, or is tied to the ends of a text
 */
export function compilePattern(pattern: string, longest: number): PatternMatcher {
  if (isAnchored(pattern)) throw new Error('may not hold ^ or $: texts come in pieces');
  const compiled = RE2JS.compile(pattern);
  if (compiled.programSize() > maxProgram) throw new Error('is too large: fewer or smaller repetitions');
  const size = chunkLengths * (longest + 1);
  return (text, visit) => {
    let from = 0;
    while (from < text.length) {
      // One unit more on the left, for \b.
      const base = Math.max(0, from - 1);
      const until = Math.min(text.length, base + size);
      const lastStart = until === text.length ? until : until - longest - 1;
      const matcher = compiled.matcher(text.slice(base, until));
      let next = lastStart;
      for (let at = from - base; matcher.find(at) && base + matcher.start() < lastStart; ) {
        const [start, end] = [base + matcher.start(), base + matcher.end()];
        if (end > start) visit(start, end);
        at = Math.max(end, start + 1) - base;
        next = Math.max(lastStart, base + at);
        if (base + at >= lastStart) break;
      }
      from = next;
    }
  };
}
