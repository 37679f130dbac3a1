import { isUtf8 } from 'node:buffer';
import { parseJson } from '@agp/core/json';
import { listWords } from '../words/words.ts';
import { hasRepeatedMember } from './faults.ts';
import { asObject, isTooPopulated, type JsonObject, tryParse } from './members.ts';

/** A member of a JSON object: its key without escapes, its value from `start` to before `end`. */
interface Member {
  key: string;
  start: number;
  end: number;
}

export const quote = 0x22;
export const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
export const backslash = 0x5c;
const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

export function skipSpace(bytes: Buffer, at: number): number {
  let i = at;
  while (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09) i += 1;
  return i;
}

/** Most strings are short: so many bytes are read one by one before the next quote is searched for. */
const nearby = 64;

/** Past the closing quote of the string that starts here; past the end of the bytes if it has none. */
function skipString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (let until = at + nearby; at < bytes.length; ) {
    if (at >= until) {
      const end = bytes.indexOf(quote, at);
      if (end < 0) break;
      if (bytes[end - 1] !== backslash) return end + 1;
      until = end + nearby;
    }
    if (bytes[at] === quote) return at + 1;
    at += bytes[at] === backslash ? 2 : 1;
  }
  return bytes.length + 1;
}

/** No number has so many digits: one that goes on and on is as good as broken. */
const maxNumber = 512;

/** Past the value that starts here. Counts brackets rather than calling itself, so that depth is no danger. */
function skipValue(bytes: Buffer, start: number): number {
  let depth = 0;
  let i = start;
  while (i < bytes.length) {
    const byte = bytes[i];
    if (depth === 0 && i - start > maxNumber) return bytes.length + 1;
    if (byte === quote) i = skipString(bytes, i);
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      i += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return i;
      depth -= 1;
      i += 1;
    } else if (depth === 0 && (byte === comma || byte === colon || skipSpace(bytes, i) > i)) return i;
    else {
      i += 1;
      continue;
    }
    if (depth === 0) return i;
  }
  return i;
}

function readKey(bytes: Buffer, start: number, end: number): string | null {
  const text = bytes.toString('utf8', start, end);
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return parseJson(text) as string;
  } catch {
    return null;
  }
}

/** No known request or answer has more; a body of nothing but members would cost memory for each. */
const maxMembers = 10_000;

interface ScannedMembers {
  members: Member[];
  end: number;
}

/** In order, repeated ones too, in one pass; values are not checked. Null if broken or too many. */
export function scanMembers(bytes: Buffer, start: number): ScannedMembers | null {
  if (bytes[start] !== openBrace) return null;
  const first = skipSpace(bytes, start + 1);
  return bytes[first] === closeBrace ? { members: [], end: first + 1 } : scanRest(bytes, first);
}

function scanRest(bytes: Buffer, firstKey: number): ScannedMembers | null {
  const members: Member[] = [];
  let i = firstKey;
  while (bytes[i] === quote && members.length < maxMembers) {
    const keyEnd = skipString(bytes, i);
    const key = keyEnd <= bytes.length ? readKey(bytes, i, keyEnd) : null;
    const at = skipSpace(bytes, keyEnd);
    if (key === null || bytes[at] !== colon) return null;
    const valueStart = skipSpace(bytes, at + 1);
    const valueEnd = skipValue(bytes, valueStart);
    if (valueEnd === valueStart || valueEnd > bytes.length) return null;
    members.push({ key, start: valueStart, end: valueEnd });
    i = skipSpace(bytes, valueEnd);
    if (bytes[i] === closeBrace) return { members, end: i + 1 };
    if (bytes[i] !== comma) return null;
    i = skipSpace(bytes, i + 1);
  }
  return null;
}

/** A member of a request's body; a repeated one is listed each time. */
export interface BodyMember {
  key: string;
  /** Undefined if it was too large or too broken to be parsed. */
  value: unknown;
  members(): BodyMember[];
}

export interface PlacedMember extends BodyMember, Member {}

/** Why servers may read a body differently. */
interface Doubt {
  field: string;
  reason: string;
}

export interface ReadBody {
  value: unknown;
  /** The value of a body of valid JSON, if it was parsed. */
  parsed?: unknown;
  members: readonly BodyMember[];
  /** The members with their places, and that of the brace before them; null unless the bytes are one object and nothing else. */
  object: { start: number; members: readonly PlacedMember[] } | null;
  isExact: boolean;
  /** Null if all servers read it alike, or it was read in outline. */
  doubt: Doubt | null;
}

export const unreadable: ReadBody = {
  value: undefined,
  members: [],
  object: null,
  isExact: false,
  doubt: {
    field: 'the body',
    reason: 'is not JSON, has something before or behind it, or is too large to be read whole',
  },
};

/** Parsing a larger body would block all requests: JSON of many small values takes seconds, and twenty times its size in memory. */
const maxParsed = 1024 * 1024;
export const maxShortMember = 4 * 1024;

/** JSON of at most 1 MiB is parsed if it has no more values than this. */
const maxValues = 400_000;

/** Larger JSON is parsed if it has no more values than this: most of it is long texts and pictures. */
const maxSparse = 100_000;

export function toMembers(value: unknown): BodyMember[] {
  return Object.entries(asObject(value)).map(([key, each]) => ({ key, value: each, members: () => toMembers(each) }));
}

/** The members of the object that starts at a byte, repeated ones too. @param parsed the same object, if it was parsed */
function readObject(bytes: Buffer, start: number, parsed?: unknown): { members: PlacedMember[]; end: number } | null {
  const found = scanMembers(bytes, start);
  if (!found) return null;
  const values = parsed === undefined ? null : asObject(parsed);
  const isWhole = values !== null && Object.keys(values).length === found.members.length;
  const members = found.members.map((member): PlacedMember => {
    const { key, start: from, end } = member;
    const isParsed = isWhole || end - from < maxShortMember || parsed !== undefined;
    const value = isWhole ? values[key] : isParsed ? tryParse(bytes.subarray(from, end)) : undefined;
    return { key, start: from, end, value, members: () => readObject(bytes, from, value)?.members ?? [] };
  });
  return { members, end: found.end };
}

/** Drops what a lenient server ignores: byte order marks, and the zeros of ASCII in UTF-16 and UTF-32. */
function stripLeniently(bytes: Buffer): Buffer {
  const marks = [0xef, 0xbb, 0xbf, 0xff, 0xfe, 0];
  const start = bytes.findIndex((byte) => !marks.includes(byte));
  return bytes.subarray(Math.max(0, start)).filter((byte) => byte !== 0) as Buffer;
}

function readLeniently(bytes: Buffer): PlacedMember[] | null {
  if (bytes.length > maxParsed) return null;
  const plain = stripLeniently(bytes);
  return readObject(plain, skipSpace(plain, 0))?.members ?? null;
}

/** @param text of the bytes, if it was decoded: another copy of a large one takes as long as to parse it */
function findDoubt(
  bytes: Buffer,
  text: string | null,
  value: unknown,
  isExact: boolean,
  members: readonly BodyMember[],
): Doubt | null {
  if (!isUtf8(bytes)) return { field: 'the body', reason: 'is not UTF-8' };
  if (!isExact) return unreadable.doubt;
  if (!hasRepeatedMember(text ?? bytes.toString('utf8'), value)) return null;
  const seen = new Set<string>();
  const repeated = members.find(({ key }) => seen.size === seen.add(key).size);
  return { field: repeated?.key ?? 'a member', reason: 'is given twice' };
}

/** Reads JSON as the most lenient server would. @param extent `outline` reads, of a body over 1 MiB, members under 4 KiB */
export function readJson(bytes: Buffer, extent: 'whole' | 'outline'): ReadBody {
  const isWhole = extent === 'whole';
  const isShort = bytes.length <= maxParsed;
  const isParsed = isShort
    ? bytes.length <= maxValues || !isTooPopulated(bytes, maxValues)
    : isWhole && !isTooPopulated(bytes, maxSparse);
  const text = isParsed ? bytes.toString('utf8') : null;
  const value = text === null ? undefined : tryParse(text);
  const start = skipSpace(bytes, 0);
  const root = readObject(bytes, start, value);
  const members = root?.members ?? (value === undefined ? readLeniently(bytes) : toMembers(value));
  if (members === null) return { ...unreadable, doubt: findDoubt(bytes, text, value, false, []) };
  const object = root !== null && skipSpace(bytes, root.end) === bytes.length ? { start, members: root.members } : null;
  // What has too many members to look at one by one, or is no object, is exact if nothing depends on it.
  const isExact =
    object === null ? !isWhole && root === null && value !== undefined : value !== undefined || (!isWhole && !isParsed);
  return {
    value: value ?? Object.fromEntries(members.map(({ key, value: each }) => [key, each])),
    parsed: root === null ? undefined : value,
    members,
    object,
    isExact,
    doubt: isWhole ? findDoubt(bytes, text, value, isExact, members) : null,
  };
}

const names = listWords('trailing');

/** A name may also occur in the data; at most this many of its last occurrences are tried. */
const maxTries = 16;

/** Whether the root ends with the last byte, if so many objects are open before this one. */
function endsRoot(tail: Buffer, end: number, depth: number): boolean {
  let at = skipSpace(tail, end);
  for (let open = depth; open > 0; open--) {
    const isEnd = tail[at] === closeBrace;
    const next = isEnd ? at + 1 : tail[at] === comma ? scanRest(tail, skipSpace(tail, at + 1))?.end : undefined;
    if (next === undefined) return false;
    at = skipSpace(tail, next);
  }
  return at === tail.length;
}

function findMember(tail: Buffer, name: string, depth: number): unknown {
  const key = `"${name}"`;
  let at = tail.lastIndexOf(key);
  for (let tries = 0; at > 0 && tries < maxTries; tries++) {
    const rest = tail[at - 1] === backslash ? null : scanRest(tail, at);
    const first = rest?.members[0];
    if (rest && first && endsRoot(tail, rest.end, depth)) return tryParse(tail.subarray(first.start, first.end));
    at = tail.lastIndexOf(key, at - 1);
  }
  return undefined;
}

/**
 * The figures and model of an answer too large to parse, from its last bytes: they come after the data. Empty if cut.
 *
 * @param depth of the object that has them: 0 is the root
 */
export function findTrailingMembers(tail: Buffer, depth = 0): JsonObject {
  const found = names.map((name) => [name, findMember(tail, name, depth)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
