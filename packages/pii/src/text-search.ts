import { type Detector, runDetectors } from './detector.ts';
import { detectors } from './detectors.ts';
import { type OpenEnd, openEnds, searchEnd } from './open-ends.ts';
import { compilePattern, nsPerStep } from './own-pattern.ts';
import { readOtherwise } from './read-otherwise.ts';
import { type Candidate, resolveOverlaps } from './resolve-overlaps.ts';

/** A pattern of a policy, in the syntax of RE2; `longest` in UTF-16 units. */
export interface SearchPattern {
  kind: string;
  pattern: string;
  longest: number;
}

/** In UTF-16 units of the text as written, to before `end`. */
export interface FoundValue {
  kind: string;
  start: number;
  end: number;
}

/** Pure; each takes time linear in the text's length. */
export interface TextSearch {
  /** What a text holds of the wanted kinds, sorted; no two of one kind, and no two types, overlap. Masked spellings are seen through. */
  find(text: string): readonly FoundValue[];
  /**
   * Where the end of a text begins that may yet become, or be part of, a finding of a wanted kind once more text comes; the text's
   * length if none can. It lies within none of `find(text)`, and what `find` says of the text before it stays.
   */
  findOpen(text: string): number;
  /** What a UTF-16 unit of the worst text takes on an ordinary machine, in nanoseconds. */
  readonly nsPerUnit: number;
}

/** Of all types together; digits take most. */
const nsOfTypes = 300;

/** A masked spelling may take so many units for one. */
const longestMask = 16;

/** What is looked for if some kinds are wanted. */
interface Plan {
  wanted: ReadonlySet<string>;
  asked: readonly Detector[];
  /** What these find may hide what is wanted. */
  others: readonly Detector[];
  ends: readonly OpenEnd[];
}

/** Each call's search is made anew, of one of few lists of kinds. */
const plans = new Map<string, Plan>();
const maxPlans = 256;

function planFor(kinds: readonly string[]): Plan {
  const key = JSON.stringify(kinds);
  const known = plans.get(key);
  if (known) return known;
  const wanted = new Set(kinds);
  const isAsked = ({ types }: Pick<Detector, 'types'>) => types.some((type) => wanted.has(type));
  const { asked = [], others = [] } = Object.groupBy(detectors, (one) => (isAsked(one) ? 'asked' : 'others'));
  const plan = { wanted, asked, others, ends: openEnds.filter(isAsked) };
  if (plans.size >= maxPlans) plans.clear();
  plans.set(key, plan);
  return plan;
}

/**
 * @param kinds types of docs/pii.md except `person_name`, and kinds of `patterns`
 * @throws Error as {@link compilePattern} does
 */
export function createTextSearch(kinds: Iterable<string>, patterns: readonly SearchPattern[]): TextSearch {
  const { wanted, asked, others, ends } = planFor([...kinds]);
  const own = patterns
    .filter(({ kind }) => wanted.has(kind))
    .map(({ kind, pattern, longest }) => ({ kind, longest, ...compilePattern(pattern, longest) }));
  const ownKinds = new Set(own.map(({ kind }) => kind));
  const isWanted = ({ type }: Candidate) => wanted.has(type);
  const ownEnds = own.map(({ longest }) => ({ held: longest, open: () => 0 }));

  /**
   * Of types that overlap the surest counts; what is not wanted, only if it covers one that is. A pattern of a policy hides none, nor does
   * another pattern: both are found, and whoever decides takes the stricter.
   */
  function search(text: string): { candidates: Candidate[]; found: Candidate[] } {
    const readings = [
      { value: text, toOriginal: (start: number, end: number) => ({ start, end }) },
      ...readOtherwise(text),
    ];
    const collect = (by: readonly Detector[]): Candidate[] =>
      readings.flatMap((reading) =>
        runDetectors(by, reading.value).map(({ type, start, end }) => ({ type, ...reading.toOriginal(start, end) })),
      );
    const ofTypes = collect(asked);
    if (ofTypes.some(isWanted)) ofTypes.push(...collect(others));
    const candidates = [...ofTypes];
    for (const reading of own.length === 0 ? [] : readings)
      for (const { kind, match } of own)
        match(reading.value, (start, end) => candidates.push({ type: kind, ...reading.toOriginal(start, end) }));
    if (candidates.length === 0) return { candidates, found: candidates };
    const surest = resolveOverlaps(ofTypes, text.length);
    const wantedTypes = surest.filter(isWanted);
    const isCovered = coverOf(surest, text.length);
    const lost = ofTypes.filter((one) => isWanted(one) && !isCovered(one));
    const found = lost.length === 0 ? wantedTypes : resolveOverlaps([...wantedTypes, ...lost], text.length);
    if (ofTypes.length === candidates.length) return { candidates, found };
    for (const kind of ownKinds)
      found.push(
        ...resolveOverlaps(
          candidates.filter(({ type }) => type === kind),
          text.length,
        ),
      );
    return { candidates, found: found.sort((one, other) => one.start - other.start) };
  }

  /** A stream asks for both of one text. */
  let last: (ReturnType<typeof search> & { text: string }) | null = null;

  return {
    nsPerUnit: nsOfTypes + nsPerStep * own.reduce((sum, { steps }) => sum + steps, 0),
    find(text) {
      const { found } = last?.text === text ? last : search(text);
      last = null;
      return found.map(({ type, start, end }) => ({ kind: type, start, end }));
    },
    findOpen(text) {
      last = { text, ...search(text) };
      const { candidates, found } = last;
      const isFound = coverOf(found, text.length);
      let open = findEnd(text, [...ends, ...ownEnds]);
      // What takes their place now may be something else when more text comes.
      const lost = new Set(candidates.filter((one) => isWanted(one) && one.start < open && !isFound(one)));
      if (lost.size > 0) {
        const allOpen = findEnd(text, [...openEnds, ...ownEnds]);
        let [first, end] = [text.length, 0];
        for (const one of candidates.sort((a, b) => a.start - b.start)) {
          if (one.start >= end) first = text.length;
          end = Math.max(end, one.end);
          if (lost.has(one)) first = Math.min(first, one.start);
          if (end > allOpen) open = Math.min(open, first);
        }
      }
      open = found.find(({ start, end }) => start < open && open < end)?.start ?? open;
      return /[\ud800-\udbff]/.test(text.charAt(open - 1)) ? open - 1 : open;
    },
  };
}

/** @returns whether all of a candidate lies in findings */
function coverOf(findings: readonly Candidate[], length: number): (one: Candidate) => boolean {
  const taken = new Uint8Array(length);
  for (const { start, end } of findings) taken.fill(1, start, end);
  return ({ start, end }) => !taken.subarray(start, end).includes(0);
}

/** Where the first finding begins that more text would make, change or end. */
function findEnd(text: string, ends: readonly Omit<OpenEnd, 'types'>[]): number {
  let first = text.length;
  const asWritten = { value: text, toOriginal: (start: number) => ({ start }) };
  for (const reading of [asWritten, ...readOtherwise(text, true)])
    for (const { held, open } of ends) {
      const { value } = reading;
      const at = Math.max(0, value.length - held) + searchEnd(value.slice(-held), open);
      first = Math.min(first, Math.max(reading.toOriginal(at, at + 1).start, text.length - longestMask * held));
    }
  return first;
}
