import { parseJson } from '@agp/core/json';

/** A member of a JSON object: its key without escapes, its value from `start` to before `end`. */
export interface Member {
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

/** Past the value that starts here. Counts brackets rather than calling itself, so that depth is no danger. */
function skipValue(bytes: Buffer, start: number): number {
  let depth = 0;
  let i = start;
  while (i < bytes.length) {
    const byte = bytes[i];
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

export type JsonObject = Readonly<Record<string, unknown>>;

const nothing: JsonObject = Object.freeze(Object.create(null));

/** The value if it is an object, else one without members, so that what is missing reads as undefined all the way down. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : nothing;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function asName(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : typeof value;
}

export function tryParse(json: string | Uint8Array): unknown {
  try {
    return parseJson(json);
  } catch {
    return undefined;
  }
}

const names = [
  'usage',
  'usageMetadata',
  'model',
  'modelVersion',
  'service_tier',
  'svg_usage',
  'tool_usage',
  'usage_info',
  'tools',
] as const;

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

/** JSON of more values takes seconds and hundreds of megabytes to parse; no honest request has so many. */
const maxValues = 1_000_000;

export function isTooPopulated(body: { indexOf(text: string, from?: number): number }): boolean {
  let commas = 0;
  for (let at = body.indexOf(','); at >= 0; at = body.indexOf(',', at + 1)) {
    commas += 1;
    if (commas > maxValues) return true;
  }
  return false;
}
