import { runDetectors } from './detector.ts';
import { detectors } from './detectors.ts';
import { compilePattern } from './own-pattern.ts';
import { readOtherwise } from './read-otherwise.ts';
import { resolveOverlaps } from './resolve-overlaps.ts';

/** A pattern of a policy, in the syntax of RE2; `longest` in UTF-16 units. */
export interface SearchPattern {
  kind: string;
  pattern: string;
  longest: number;
}

/** In UTF-16 units of the text as written, to before `end`. */
export interface Found {
  kind: string;
  start: number;
  end: number;
}

export interface TextSearch {
  /** What a text holds of the wanted kinds, sorted, no two overlap; masked spellings are seen through. */
  find(text: string): Found[];
  /**
   * Where the end of a text begins that may yet become, or be part of, a finding of a wanted kind once more text comes; the text's
   * length if none can.
   */
  findOpen(text: string): number;
}

const held = 512;

/**
 * @param kinds types of docs/pii.md except `person_name`, and kinds of `patterns`
 * @throws Error as {@link compilePattern} does
 */
export function createTextSearch(kinds: Iterable<string>, patterns: readonly SearchPattern[]): TextSearch {
  const wanted = new Set(kinds);
  const own = patterns
    .filter(({ kind }) => wanted.has(kind))
    .map(({ kind, pattern, longest }) => ({ kind, match: compilePattern(pattern, longest) }));
  const ownKinds = new Set(own.map(({ kind }) => kind));

  function collect(text: string): { type: string; start: number; end: number }[] {
    const found: { type: string; start: number; end: number }[] = runDetectors(detectors, text);
    for (const { kind, match } of own) match(text, (start, end) => found.push({ type: kind, start, end }));
    return found;
  }

  function find(text: string): Found[] {
    const candidates = collect(text);
    for (const reading of readOtherwise(text))
      for (const { type, start, end } of collect(reading.value))
        candidates.push({ type, ...reading.toOriginal(start, end) });
    const settled = resolveOverlaps(candidates, text.length).filter(({ type }) => wanted.has(type));
    const lost = candidates.filter(
      ({ type, start, end }) => ownKinds.has(type) && !settled.some((one) => one.start < end && start < one.end),
    );
    const all = lost.length === 0 ? settled : resolveOverlaps([...settled, ...lost], text.length);
    return all.map(({ type, start, end }) => ({ kind: type, start, end }));
  }

  return {
    find,
    findOpen(text) {
      const open = Math.max(0, text.length - held);
      return find(text).find(({ start, end }) => start < open && open < end)?.start ?? open;
    },
  };
}
