import { RE2JS } from 're2js';
import { countRanges, countSteps } from './pattern-steps.ts';

/** The most steps that a character of a hostile text may cost a pattern, all of a policy, those of a team, and those of the installation. */
export const maxSteps = { pattern: 500, policy: 1_000, team: 500, installation: 1_500 };
/** What a step takes at most on an ordinary machine. */
export const nsPerStep = 50;

const [maxSize, maxRanges] = [500, 10_000];

/** Bounds of how far matches are looked for at once, in UTF-16 units: near the last match first. */
const [leastSpan, mostSpan] = [16, 4_096];

/** Each call's search is made anew, and compiling takes longer than most searches. */
const known = new Map<string, OwnPattern>();
const maxKnown = 1_024;

/** Visits matches from left to right, without overlaps; the empty one is none. */
type PatternMatcher = (text: string, visit: (start: number, end: number) => void) => void;

export interface OwnPattern {
  match: PatternMatcher;
  /** What a character of a hostile text costs at most: how many states of the pattern are looked at for it. */
  steps: number;
}

const isAnchored = (pattern: string): boolean => /[$^]|\\[Az]/.test(pattern.replaceAll(/\\[^Az]|\[\^/g, ''));

/**
 * A pattern in the syntax of RE2 for texts of which parts are known: what it matches depends on `longest` units from its start.
 *
 * @param longest the most UTF-16 units of a match
 * @throws Error that says for people why a pattern cannot be used
 */
export function compilePattern(pattern: string, longest: number): OwnPattern {
  const key = `${longest} ${pattern}`;
  const own = known.get(key) ?? compile(pattern, longest);
  if (known.size >= maxKnown) known.clear();
  known.set(key, own);
  return own;
}

function compile(pattern: string, longest: number): OwnPattern {
  if (isAnchored(pattern)) throw new Error('may not hold ^ or $, since texts come in pieces');
  const compiled = RE2JS.compile(pattern);
  if (compiled.matches('')) throw new Error('matches the empty text');
  if (compiled.programSize() > maxSize || countRanges(compiled) > maxRanges)
    throw new Error('is too large: needs fewer repetitions or classes');
  const steps = countSteps(compiled, longest);
  if (steps > maxSteps.pattern)
    throw new Error(
      `may cost ${steps} steps a character, and ${maxSteps.pattern} are allowed: needs fewer repetitions, or a smaller \`longest\``,
    );
  return { steps, match: (text, visit) => findAll(compiled, longest, text, visit) };
}

function findAll(compiled: RE2JS, longest: number, text: string, visit: (start: number, end: number) => void): void {
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
}
