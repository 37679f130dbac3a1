import { parseJson } from '@agp/core/json';

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

/** JSON of more values takes seconds and hundreds of megabytes to parse; no honest request has so many. */
const maxValues = 1_000_000;

export function isTooPopulated(body: string | Uint8Array, most: number = maxValues): boolean {
  // Lists within lists are values too, and have no commas between them.
  let found = 0;
  for (const sign of [',', '[', '{']) {
    if (typeof body !== 'string') found += countBytes(body, sign.charCodeAt(0), most - found);
    else for (let at = body.indexOf(sign); at >= 0 && found <= most; at = body.indexOf(sign, at + 1)) found += 1;
  }
  return found > most;
}

/** So many bytes are looked at one by one before what is fast over long ways alone searches for the next. */
const nearby = 64;

/** How often a byte occurs; one more than `most` if that is more. */
function countBytes(bytes: Uint8Array, byte: number, most: number): number {
  const { length } = bytes;
  let [found, at] = [0, bytes.indexOf(byte)];
  while (at >= 0 && found <= most) {
    found += 1;
    const until = Math.min(at + nearby, length);
    for (at += 1; at < until && bytes[at] !== byte; ) at += 1;
    if (at === until) at = bytes.indexOf(byte, at);
  }
  return found;
}

/** The same, without what stands in strings: a long text has as many commas. */
export function hasMoreValues(text: string, most: number): boolean {
  if (!isTooPopulated(text, most)) return false;
  let [found, strings] = [0, 0];
  // A call of a pattern for each sign takes several times as long.
  for (let at = 0; at < text.length; ) {
    const sign = text[at];
    if (sign === '"') {
      at = skipText(text, at);
      strings += 1;
    } else {
      if (sign === ',' || sign === '[' || sign === '{') found += 1;
      at += 1;
    }
    // A member has two strings at most.
    if (found > most || strings > 2 * most + 2) return true;
  }
  return false;
}

/** A quote before the JSON of a frame, such as in a comment, ends with its line. */
const stringEnd = /["\r\n]/g;

/** @param start of a string's first quote @returns where it has ended */
function skipText(text: string, start: number): number {
  for (let at = findEnd(text, start + 1); at >= 0; at = findEnd(text, at + 1)) {
    if (text[at] !== '"') return at;
    let from = at;
    while (text[from - 1] === '\\') from -= 1;
    if ((at - from) % 2 === 0) return at + 1;
  }
  return text.length;
}

function findEnd(text: string, start: number): number {
  const until = Math.min(start + nearby, text.length);
  for (let at = start; at < until; at += 1) {
    const sign = text[at];
    if (sign === '"' || sign === '\r' || sign === '\n') return at;
  }
  stringEnd.lastIndex = until;
  return stringEnd.exec(text)?.index ?? -1;
}
