import type { FoundValue } from '@agp/pii';

/** A value that was found by its form before, and what it is. */
export interface KnownValue {
  kind: string;
  value: string;
}

/** More and longer ones are looked for nowhere, and no session keeps them. */
export const [mostKnown, longestKnown] = [1_000, 512];

const wordSign = /[\p{L}\p{M}\p{N}_]/u;

/** Whether no letter and no digit stands beside. */
export function standsAlone(text: string, start: number, end: number): boolean {
  // A half of a pair is a letter of some script.
  const isWord = (sign: string) => wordSign.test(sign) || /[\ud800-\udfff]/.test(sign);
  return !isWord(text.charAt(start - 1)) && !isWord(text.charAt(end));
}

const [leastDistinct, leastDigits] = [6, 10];

/** Whether it is looked for within longer words and numbers too: a short one, or mere letters, is part of others that have nothing to do with it. */
export const isDistinct = (value: string): boolean =>
  value.length >= (/^\d+$/.test(value) ? leastDigits : leastDistinct) && /[^\p{L}\p{M}\s]/u.test(value);

const leastLooked = 2;
const units = 0x1_0000;

/**
 * Looks for values as they are, beside whatever stands there if they are {@link isDistinct}, else where they stand alone. Of those that
 * begin at one place the longest counts; findings may overlap. Linear in the text, whatever the values: an Aho-Corasick automaton.
 * @returns findings sorted by start
 */
export function createValueSearch(values: readonly KnownValue[]): (text: string) => FoundValue[] {
  /** By state and unit. */
  const next = new Map<number, number>();
  const first = new Set<number>();
  const known: (KnownValue | undefined)[] = [undefined];
  for (const one of values) {
    if (one.value.length < leastLooked) continue;
    let state = 0;
    for (let at = 0; at < one.value.length; at++) {
      const step = state * units + one.value.charCodeAt(at);
      state = next.get(step) ?? known.push(undefined) - 1;
      next.set(step, state);
    }
    known[state] ??= one;
    first.add(one.value.charCodeAt(0));
  }
  const { back, shorter } = linkStates(next, known);

  return (text) => {
    const found = new Map<number, FoundValue>();
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (state === 0 && !first.has(unit)) continue;
      let to = next.get(state * units + unit);
      while (to === undefined && state > 0) {
        state = back[state] as number;
        to = next.get(state * units + unit);
      }
      state = to ?? 0;
      // Each is longer than the next one, and the longest covers what the others would.
      for (let ended = known[state] ? state : (shorter[state] as number); ended > 0; ended = shorter[ended] as number) {
        const { kind, value } = known[ended] as KnownValue;
        const [start, end] = [at + 1 - value.length, at + 1];
        if (!isDistinct(value) && !standsAlone(text, start, end)) continue;
        found.set(start, { kind, start, end });
        break;
      }
    }
    return [...found.values()].sort((one, other) => one.start - other.start);
  };
}

/** For each state the longest other one that its text ends in, and the longest such that is a value; 0 if there is none. */
function linkStates(next: ReadonlyMap<number, number>, known: readonly unknown[]) {
  const back = new Uint32Array(known.length);
  const shorter = new Uint32Array(known.length);
  const steps: [from: number, unit: number, to: number][][] = [];
  const depths = new Uint32Array(known.length);
  // A state is made after the one before it.
  for (const [step, to] of next) {
    const from = Math.floor(step / units);
    const depth = (depths[from] as number) + 1;
    depths[to] = depth;
    const of = steps[depth];
    if (of) of.push([from, step % units, to]);
    else steps[depth] = [[from, step % units, to]];
  }
  for (const [from, unit, to] of steps.flat()) {
    if (from === 0) continue;
    let state = back[from] as number;
    let shared = next.get(state * units + unit);
    while (shared === undefined && state > 0) {
      state = back[state] as number;
      shared = next.get(state * units + unit);
    }
    back[to] = shared ?? 0;
    shorter[to] = known[back[to]] ? (back[to] as number) : (shorter[back[to]] as number);
  }
  return { back, shorter };
}
