import type { PiiFinding } from '@agp/core/events';
import { JsonError, parseJson } from '@agp/core/json';
import { type PiiFinder, type PiiType, unmask } from '@agp/pii';
import { isTooPopulated } from '../json/members.ts';
import { answerQuestions } from '../text/offload.ts';
import { collectToolText } from '../text/strings.ts';
import type { Writing } from '../text/writing.ts';
import { readText, type TextSource } from '../text-source.ts';
import { type MissedReason, ScanMemory, type ScannedText } from './scan-memory.ts';

/** The most places, as many as an event lists: for their constant the worker would load all of the events' schemas. */
export const maxPlaces = 100;

class FoundPlaces {
  readonly #groups = new Map<string, PiiFinding[]>();
  readonly #known = new Set<string>();
  readonly #types = new Set<PiiType>();

  add(side: PiiFinding['in'], messages: readonly number[], type: PiiType): void {
    this.#types.add(type);
    const group = this.#groups.get(`${side} ${type}`) ?? [];
    this.#groups.set(`${side} ${type}`, group);
    for (const message of messages.length > 0 ? messages : [null]) {
      if (group.length >= maxPlaces) return;
      const place = `${side} ${type} ${message}`;
      if (this.#known.has(place)) continue;
      this.#known.add(place);
      group.push({ in: side, message, type });
    }
  }

  types(): PiiType[] {
    return [...this.#types].sort();
  }

  /** At most `maxPlaces`. Each type has its turn, so that no pile of one hides where another is. */
  list(): PiiFinding[] {
    const groups = [...this.#groups.values()];
    const listed: PiiFinding[] = [];
    for (let turn = 0; turn < maxPlaces; turn++) {
      for (const group of groups) {
        const place = group[turn];
        if (place && listed.length < maxPlaces) listed.push(place);
      }
    }
    return listed.sort(
      (a, b) => compare(a.in, b.in) || (a.message ?? -1) - (b.message ?? -1) || compare(a.type, b.type),
    );
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Tools that call tools write JSON into JSON, which doubles the backslashes at each level: more are never nested. */
const maxLevels = 6;

/** Takes JSON within strings apart, whose escapes would hide the text. Not `whole` beyond some depth and size. */
function unfoldText(text: string): Writing {
  const parts: string[] = [];
  let whole = true;
  let waiting = [text];
  for (let level = 0; level < maxLevels && waiting.length > 0; level++) {
    const inner: string[] = [];
    for (const each of waiting) {
      const parsed = parse(each);
      if ('refusal' in parsed) {
        whole &&= parsed.refusal === 'not_json';
        parts.push(each);
        continue;
      }
      const found = collectToolText(parsed.value);
      whole &&= found.whole;
      for (const string of found.parts) (isJson(string) ? inner : parts).push(string);
    }
    waiting = inner;
  }
  // Deeper levels are searched as they are, and their escapes may hide text.
  return { parts: [...parts, ...waiting], whole: whole && waiting.every((text) => 'refusal' in parse(text)) };
}

const isJson = (text: string): boolean => /^\s*[{["]/.test(text);

function parse(text: string): { value: unknown } | { refusal: 'not_json' | 'too_large' } {
  if (!isJson(text)) return { refusal: 'not_json' };
  if (isTooPopulated(text)) return { refusal: 'too_large' };
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { refusal: error instanceof JsonError && error.code === 'too_deep' ? 'too_large' : 'not_json' };
  }
}

export interface PiiScan {
  types: readonly PiiType[];
  findings: readonly PiiFinding[];
  extent: 'full' | 'partial' | 'none';
  missed: MissedReason | null;
}

/** Texts are scanned in pieces of this length, with a look at the time between them. */
const pieceLength = 64 * 1024;

const overlap = 4 * 1024;

function* cut(text: string): Generator<string> {
  yield* cutOne(text);
  // Invisible characters may be longer than a piece, with half of a number on either side.
  if (text.length > pieceLength) yield* cutOne(unmask(text)?.value ?? '');
}

function* cutAll(texts: readonly string[]): Generator<string> {
  for (const text of texts) yield* cut(text);
}

function* cutOne(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += pieceLength) {
    yield text.slice(Math.max(0, start - overlap), start + pieceLength);
  }
}

/** @param hasTime asked before each piece of a text */
export function scanTexts(
  sources: readonly TextSource[],
  find: PiiFinder,
  hasTime: () => boolean,
  memory = new ScanMemory(),
): PiiScan {
  const writings = sources.map((source) => readText(source, 'all'));
  const scanOne = (text: string) => scanText(text, find, hasTime);
  let places: FoundPlaces | null = null;
  let missed: MissedReason | null = writings.every((writing) => writing.whole) ? null : 'unreadable';
  let searched = false;
  for (let index = 0; index < writings.length; index += 1) {
    const { parts, beside, locate } = writings[index] as (typeof writings)[number];
    const side = sources[index]?.of === 'request' ? 'request' : 'response';
    for (const text of beside ? parts.concat(beside) : parts) {
      if (missed === 'out_of_time') break;
      const scanned = memory.scan(text, scanOne);
      searched ||= scanned.searched;
      missed = scanned.missed ?? missed;
      for (const type of scanned.types) {
        places ??= new FoundPlaces();
        places.add(side, locate?.(text) ?? [], type);
      }
    }
  }
  const extent = missed === null ? 'full' : searched ? 'partial' : 'none';
  return { types: places?.types() ?? nothing, findings: places?.list() ?? noPlaces, extent, missed };
}

function scanText(text: string, find: PiiFinder, hasTime: () => boolean): ScannedText {
  if (text.length <= pieceLength && !isJson(text) && hasTime())
    return { types: typesOf(find(text)), searched: true, missed: null };
  const { parts, whole } = unfoldText(text);
  const types = new Set<PiiType>();
  let missed: MissedReason | null = whole ? null : 'unreadable';
  let searched = false;
  for (const piece of cutAll(parts)) {
    if (!hasTime()) {
      missed = 'out_of_time';
      break;
    }
    searched = true;
    for (const { type } of find(piece)) types.add(type);
  }
  return { types: [...types], searched, missed };
}

const nothing: readonly PiiType[] = [];
const noPlaces: readonly PiiFinding[] = [];

const typesOf = (findings: ReturnType<PiiFinder>): readonly PiiType[] =>
  findings.length === 0 ? nothing : [...new Set(findings.map(({ type }) => type))];

export interface ScanRequest {
  sources: readonly TextSource[];
  budgetMs: number;
}

export function answerScans(find: PiiFinder): void {
  const memory = new ScanMemory();
  answerQuestions(({ sources, budgetMs }: ScanRequest): PiiScan => {
    const end = performance.now() + budgetMs;
    return scanTexts(sources, find, () => performance.now() < end, memory);
  });
}
