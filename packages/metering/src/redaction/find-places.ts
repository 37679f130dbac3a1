import type { TextSearch } from '@agp/pii';
import { isProviders } from '../text/beside.ts';
import { label } from '../text/strings.ts';
import { isOpaque, isThought, SignedTexts } from './blocks.ts';
import type { Literal } from './holder.ts';
import { dropKept, isWordy } from './kept-labels.ts';
import { createValueSearch, type KnownValue, longestKnown, mostKnown } from './known-values.ts';
import { decodeLiteral, listLiterals } from './literals.ts';
import { isProtocolName } from './names.ts';
import { clip, type Place } from './places.ts';
import { isOfTokens, TextNames } from './text-names.ts';
import { isFile, nameUnsearched, tokenMembers } from './unsearched.ts';

export interface Found {
  places: readonly Place[];
  /** What could not be searched, in words; null if all was. */
  unsearched: string | null;
}

/** Tools that call tools write JSON into JSON, which doubles the backslashes at each level: more are never nested. */
const maxLevels = 6;

const looksLikeJson = (text: string): boolean => /^\s*[{["]/.test(text);

/** What a text holds; JSON in it is taken apart, numbers too. */
export function findInText(text: string, search: TextSearch, depth = 0): Found {
  if (looksLikeJson(text)) {
    const inner = depth > maxLevels ? null : findInJson(text, search, 'request', true, depth);
    if (inner !== null) return inner;
  }
  const found = search.find(text);
  const places = limit(found).map(({ kind, start, end }) => {
    return { kind, start, end, value: text.slice(start, end), depth, isBare: false, isRest: false, decided: {} };
  });
  return { places, unsearched: found.length > maxPlaces ? tooMany : null };
}

/** Handing over more would hold up everything else. */
const maxPlaces = 20_000;
export const tooMany = 'more than 20,000 findings';

/** Of each kind there is one at least. */
function limit<One extends { kind: string }>(found: readonly One[]): One[] {
  if (found.length <= maxPlaces) return found as One[];
  const kinds = new Set<string>();
  return found.filter(({ kind }, at) => at < maxPlaces || (!kinds.has(kind) && kinds.add(kind)));
}

/**
 * Null if it is no JSON.
 * @param from what providers number and pad in answers is not searched @param known values that were replaced before
 */
export function findInJson(
  json: string,
  search: TextSearch,
  from: 'request' | 'answer',
  isFree = false,
  depth = 0,
  known: readonly KnownValue[] = [],
): Found | null {
  const literals = listLiterals(json, isFree);
  if (literals === null) return null;
  let places: Place[] = [];
  let unsearched: string | null = null;
  const names = new TextNames();
  const signed = new SignedTexts(from);
  const texts = new Map<string, Part[]>();
  /** Found in what is signed, but for thoughts. */
  const said: Place[] = [];
  const add = (more: readonly Place[]) => {
    for (const place of more) places.push(place);
    if (places.length <= 2 * maxPlaces) return;
    places = limit(places);
    unsearched = tooMany;
  };
  for (const literal of literals) {
    const value = readText(json, literal, from);
    if (value === undefined) return null;
    if (value === null) continue;
    unsearched ??= nameUnsearched(literal, value);
    if (isFile(literal, value)) continue;
    const found = findInLiteral(json, literal, value, search, depth);
    const isSigned = signed.has(literal);
    if (isSigned) {
      for (const place of found.places) place.isSigned = true;
      if (!isThought(literal.holder)) said.push(...found.places);
    }
    unsearched ??= found.unsearched;
    add(found.places);
    const name = names.ofPart(literal);
    if (name !== null) addTo(texts, name, { literal, value, isSigned, alone: found.places });
  }
  for (const [name, parts] of texts)
    if (parts.length > 1) add(findAcross(json, parts, name.endsWith('/word') ? ' ' : '', search, depth));
  add(freeSaid(places, said, known));
  const isTooMany = places.length > maxPlaces;
  return { places: clip(limit(places)), unsearched: isTooMany ? tooMany : unsearched };
}

/** A value that was replaced before a model saw it stands in what the model said since it was put back: it is replaced again. */
function freeSaid(places: readonly Place[], said: readonly Place[], known: readonly KnownValue[]): Place[] {
  const nameOf = ({ kind, value }: KnownValue) => `${kind} ${value}`;
  const values = said.length === 0 ? [] : [...known, ...places.filter(({ isSigned }) => !isSigned)];
  const open = new Set(values.map(nameOf));
  const others: Place[] = [];
  for (const place of said)
    if (open.has(nameOf(place))) delete place.isSigned;
    else others.push(place);
  if (others.length === 0 || open.size === 0) return [];
  // What stands beside a value may make another finding of it.
  const once = [...new Map(values.map((one) => [nameOf(one), one])).values()];
  const most = known.length + mostKnown;
  const find = createValueSearch(once.filter(({ value }) => value.length <= longestKnown).slice(0, most));
  return others.flatMap(({ isSigned, ...place }) => {
    const isWritten = !place.isBare && place.end - place.start === place.value.length;
    return find(place.value).map(({ kind, start, end }): Place => {
      const at = isWritten ? { start: place.start + start, end: place.start + end } : {};
      return { ...place, ...at, kind, value: place.value.slice(start, end), decided: {} };
    });
  });
}

const addTo = <Value>(lists: Map<string, Value[]>, key: string, value: Value): void => {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
};

/** The text of a literal that may hold a finding; null if it cannot, undefined if it is no JSON. */
export function readText(json: string, literal: Literal, from: 'request' | 'answer'): string | null | undefined {
  const { start, end, kind, key, holder } = literal;
  const written = json.slice(start, end);
  if (kind === 'number') return holder.isFree || tokenMembers.has(key) ? written : null;
  const value = written.includes('\\') ? decodeLiteral(written) : written.slice(1, -1);
  if (value === null) return undefined;
  if (value === '' || (kind === 'name' && isWordy(value) && !isOfTokens(holder))) return null;
  if (isProtocolName(literal, value) || isOpaque(literal, value)) return null;
  return from === 'answer' && kind === 'string' && !holder.isFree && isProviders(key, value) ? null : value;
}

export function findInLiteral(json: string, literal: Literal, value: string, search: TextSearch, depth: number): Found {
  const { start, kind, key, holder } = literal;
  if (kind === 'number') {
    const named = holder.isFree ? label(key, value) : value;
    // Its name tells what a number is, and is no part of it.
    const found = findInText(named, search, maxLevels + 1).places.find(({ end }) => end > named.length - value.length);
    const place = { start, end: literal.end, value, depth, isBare: true, isRest: false, decided: {} };
    return { places: found === undefined ? [] : [{ ...place, kind: found.kind }], unsearched: null };
  }
  const shown = holder.isFree && kind === 'string' && !looksLikeJson(value) ? label(key, value) : value;
  const before = shown.length - value.length;
  const { places: all, unsearched } = findInText(shown, search, depth + 1);
  const places = dropKept(all, literal, value);
  if (places.length === 0) return { places, unsearched };
  const toWritten = openOffsets(json.slice(start + 1, literal.end - 1), start + 1);
  const moved = places.flatMap((place): Place[] => {
    const from = Math.max(0, place.start - before);
    // The member's name says what it is, so that all of it is.
    const isAll = before > 0 && from === 0 && /^(?:password|credential)$/.test(place.kind) && !/\s/.test(value);
    const to = isAll ? value.length : place.end - before;
    if (to <= 0) return [];
    return [
      {
        ...place,
        value: place.start < before || isAll ? value.slice(0, to) : place.value,
        start: toWritten(from),
        end: toWritten(to),
      },
    ];
  });
  return { places: moved, unsearched };
}

const escaped = /\\(?:u[0-9a-fA-F]{4}|.)/g;

/** From an offset in a decoded string to one in what is written. */
export function openOffsets(written: string, at: number): (offset: number) => number {
  if (!written.includes('\\')) return (offset) => at + offset;
  const ends: number[] = [];
  const more: number[] = [];
  let shift = 0;
  for (const { index, 0: sign } of written.matchAll(escaped)) {
    shift += sign.length - 1;
    ends.push(index + sign.length - shift);
    more.push(shift);
  }
  return (offset) => {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) <= offset) low = middle + 1;
      else high = middle;
    }
    return at + offset + (more[low - 1] ?? 0);
  };
}

/** One of several texts that are read as one. */
interface Part {
  literal: Literal;
  value: string;
  isSigned: boolean;
  /** Found in it alone. */
  alone: readonly Place[];
}

/** The part before may tell what a value is that begins within so many UTF-16 units of its own part. */
const longestToldBy = 24;

/**
 * Findings of which a part stands in each of several texts that are read as one; one that stands whole in its text does not grow.
 * @param between what a model reads between two of them
 */
function findAcross(json: string, parts: readonly Part[], between: string, search: TextSearch, depth: number): Place[] {
  const whole = parts.map(({ value }) => value).join(between);
  const all: Place[] = [];
  const lengthOf = (part: Part | undefined): number => (part === undefined ? 0 : part.value.length + between.length);
  let [at, from] = [0, 0];
  for (const { kind, start, end } of search.find(whole)) {
    for (; from + lengthOf(parts[at]) <= start; at++) from += lengthOf(parts[at]);
    // Most stand in one part, in which they were found before, unless a word of the part before tells what they are.
    const isWithin = end <= from + lengthOf(parts[at]);
    if (isWithin && (at === 0 || start - from > longestToldBy || looksLikeJson(parts[at]?.value ?? ''))) continue;
    const place = { kind, value: whole.slice(start, end), depth: depth + 1, isBare: false, decided: {} };
    const pieces: Place[] = [];
    let [stands, isSigned] = [false, false];
    for (let [next, begin] = [at, from]; begin < end; begin += lengthOf(parts[next++])) {
      const { literal, value, alone, isSigned: isOfSigned } = parts[next] as Part;
      const toWritten = openOffsets(json.slice(literal.start + 1, literal.end - 1), literal.start + 1);
      const [first, last] = [Math.max(start - begin, 0), Math.min(end - begin, value.length)];
      if (first >= last) continue;
      const piece = { ...place, start: toWritten(first), end: toWritten(last), isRest: pieces.length > 0 };
      pieces.push(piece);
      isSigned ||= isOfSigned;
      stands ||= alone.some((own) => own.kind === kind && own.start < piece.end && own.end > piece.start);
    }
    // Of a value that stands in a signed text too, no part is replaced.
    if (!stands) for (const piece of pieces) all.push(isSigned ? { ...piece, isSigned } : piece);
  }
  return all;
}
