import type { RE2JS } from 're2js';

/** Operations of a compiled program, as re2js numbers them. */
const [alt, altMatch, capture, emptyWidth, match, nop, rune] = [1, 2, 3, 4, 6, 7, 8];

/** The instructions that may come next without a character; @param passes those that are passed through, beside alternatives. */
function follow(program: RE2JS['re2Input']['prog'], from: Iterable<number>, passes: readonly number[]): Set<number> {
  const reached = new Set(from);
  for (const at of reached) {
    const { op, out, arg } = program.getInst(at);
    if (op === alt || op === altMatch) reached.add(out).add(arg);
    else if (passes.includes(op)) reached.add(out);
  }
  return reached;
}

/**
 * How many states of a pattern are looked at for one character of the worst text. All of them are for each character; and behind each match
 * the search begins anew, though it had looked on for a longer one.
 *
 * @param longest the most characters of a match
 */
export function countSteps({ re2Input: { prog: program } }: RE2JS, longest: number): number {
  const isOf = (op: number) => (at: number) => program.getInst(at).op === op;
  const runesOf = (states: Iterable<number>) => [...states].filter((at) => program.getInst(at).op >= rune);
  const outOf = (states: readonly number[]): number[] => states.map((at) => program.getInst(at).out);
  const all = [nop, capture, emptyWidth];
  const size = program.numInst();
  let least = 0;
  let states = follow(program, [program.start], all);
  for (; least <= size && ![...states].some(isOf(match)); least += 1)
    states = follow(program, outOf(runesOf(states)), all);
  const endsHere = (out: number) => [...follow(program, [out], [nop, capture])].some(isOf(match));
  const goingOn = new Set(runesOf(Array(size).keys()).filter((at) => !endsHere(program.getInst(at).out)));
  let beyond = 0;
  for (let on = [...goingOn]; on.length > 0 && beyond < longest; beyond += 1)
    on = runesOf(follow(program, outOf(on), all)).filter((at) => goingOn.has(at));
  return Math.ceil(size * (1 + beyond / Math.max(1, least)));
}

/** Ranges of characters in a program: classes of Unicode take long to compile. */
export function countRanges({ re2Input: { prog: program } }: RE2JS): number {
  let ranges = 0;
  for (let at = 0; at < program.numInst(); at += 1) ranges += program.getInst(at).runes.length / 2;
  return ranges;
}
