import { RE2JS } from 're2js';

/** The most states of a compiled pattern times its longest match: so many steps one character of a hostile text may cost, 2 ns each. */
const maxCost = 32_768;

/** Bounds of how far matches are looked for at once, in UTF-16 units: near the last match first. */
const [leastSpan, mostSpan] = [16, 4_096];

/** Each call's search is made anew, and compiling takes longer than most searches. */
const known = new Map<string, PatternMatcher>();
const maxKnown = 512;

/** Visits matches from left to right, without overlaps; the empty one is none. */
export type PatternMatcher = (text: string, visit: (start: number, end: number) => void) => void;

const isAnchored = (pattern: string): boolean => /[$^]|\\[Az]/.test(pattern.replaceAll(/\\[^Az]|\[\^/g, ''));

/**
 * A pattern in the syntax of RE2 for texts of which parts are known: what it matches depends on `longest` units from its start.
 *
 * @param longest the most UTF-16 units of a match
 * @throws Error that says for people why a pattern cannot be used
 */
export function compilePattern(pattern: string, longest: number): PatternMatcher {
  const key = `${longest} ${pattern}`;
  const matcher = known.get(key) ?? compile(pattern, longest);
  if (known.size >= maxKnown) known.clear();
  known.set(key, matcher);
  return matcher;
}

function compile(pattern: string, longest: number): PatternMatcher {
  if (isAnchored(pattern)) throw new Error('may not hold ^ or $, since texts come in pieces');
  const compiled = RE2JS.compile(pattern);
  if (compiled.matches('')) throw new Error('matches the empty text');
  if (compiled.programSize() * longest > maxCost)
    throw new Error('is too large: needs fewer repetitions, or a smaller `longest`');
  return (text, visit) => {
    let span = mostSpan;
    for (let from = 0; from < text.length; ) {
      // One unit more on the left, for \b.
      const base = Math.max(0, from - 1);
      const until = Math.min(text.length, from + span + longest + 1);
      const lastStart = until === text.length ? until : until - longest - 1;
      const matcher = compiled.matcher(text.slice(base, until));
      const start = matcher.find(from - base) ? base + matcher.start() : lastStart;
      if (start >= lastStart) {
        from = lastStart;
        span = Math.min(2 * span, mostSpan);
      } else {
        from = Math.max(start + 1, base + matcher.end());
        if (base + matcher.end() > start) visit(start, from);
        span = leastSpan;
      }
    }
  };
}
