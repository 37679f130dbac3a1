import { endString, maxJsonDepth, parseJson } from '@agp/core/json';
import { isFreeMember } from '../text/strings.ts';
import { findSigned, isSignature } from './blocks.ts';
import { type Holder, type Literal, openHolder } from './holder.ts';

const isCounting = (key: string): boolean => /^(?:index|item_id|contentBlockIndex)$|_index$/.test(key);
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const [quote, comma, nine, colon, openBracket, openBrace] = [0x22, 0x2c, 0x39, 0x3a, 0x5b, 0x7b];
const plain = /^"[\w $.-]*"$/;

export function decodeLiteral(literal: string): string | null {
  try {
    return parseJson(literal) as string;
  } catch {
    return null;
  }
}

/** A parser takes longer than most names. */
const decodeName = (literal: string): string | null =>
  plain.test(literal) ? literal.slice(1, -1) : decodeLiteral(literal);

function pastSpace(json: string, start: number): number {
  let at = start;
  for (let unit = json.charCodeAt(at); unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09; )
    unit = json.charCodeAt(++at);
  return at;
}

/** What tells objects apart, of the value from `start` to before `end`, without quotes. */
function note(holder: Holder, key: string, json: string, start: number, end: number): void {
  if (holder.isFree || holder.isArray) return;
  if (key === 'type') holder.type = json.slice(start, end);
  else if (key === 'role') holder.role = json.slice(start, end);
  else if (key === 'thought') findSigned(holder).isThought = json.slice(start, end) === 'true';
  else if (isCounting(key))
    holder.index += holder.index.length < 256 ? `${json.slice(start, Math.min(end, start + 256))},` : '';
  else if (isSignature(key) && end > start) findSigned(holder).isSigned = true;
}

/** More take too much memory. */
const maxLiterals = 1_000_000;

/** Every literal of JSON in order, those of repeated members too; null if it is no JSON, nests too deep or has more than a million. */
export function listLiterals(json: string, isFree = false): Literal[] | null {
  const found: Literal[] = [];
  let at = 0;
  let key = '';
  let depth = 0;
  const root = openHolder(null, '', true, isFree);
  let holder = root;
  /** Of each list that is open, how many of its values have come. */
  const position: number[] = [0];
  for (;;) {
    at = pastSpace(json, at);
    if (depth > 0 && !holder.isArray) {
      if (json.charCodeAt(at) !== quote) return null;
      const end = endString(json, at + 1);
      const name = end < 0 ? null : decodeName(json.slice(at, end));
      if (name === null) return null;
      key = name;
      found.push({ start: at, end, kind: 'name', key, holder });
      at = pastSpace(json, end);
      if (json.charCodeAt(at) !== colon) return null;
      at = pastSpace(json, at + 1);
    }
    const sign = json.charCodeAt(at);
    if (sign === openBrace || sign === openBracket) {
      const isArray = sign === openBracket;
      const inList = depth > 0 && holder.isArray;
      const free = depth === 0 ? isFree : holder.isFree || (!inList && isFreeMember(key, depth === 1));
      holder = openHolder(depth === 0 ? null : holder, inList ? `${position[depth]}` : key, isArray, free);
      depth += 1;
      if (depth > maxJsonDepth) return null;
      position[depth] = 0;
      at = pastSpace(json, at + 1);
      if (json.charCodeAt(at) !== sign + 2) continue;
    } else if (sign === quote) {
      const end = endString(json, at + 1);
      if (end < 0) return null;
      found.push({ start: at, end, kind: 'string', key, holder });
      note(holder, key, json, at + 1, end - 1);
      at = pastSpace(json, end);
    } else {
      scalar.lastIndex = at;
      if (!scalar.test(json)) return null;
      const end = scalar.lastIndex;
      if (json.charCodeAt(end - 1) <= nine) found.push({ start: at, end, kind: 'number', key, holder });
      note(holder, key, json, at, end);
      at = pastSpace(json, end);
    }
    // In ASCII a closing bracket comes two after its opening one.
    while (depth > 0 && json.charCodeAt(at) === (holder.isArray ? openBracket : openBrace) + 2) {
      key = holder.name;
      holder = holder.parent ?? root;
      depth -= 1;
      at = pastSpace(json, at + 1);
    }
    if (depth === 0) return at >= json.length ? found : null;
    if (json.charCodeAt(at) !== comma || found.length > maxLiterals) return null;
    at += 1;
    if (holder.isArray) {
      position[depth] = (position[depth] ?? 0) + 1;
      key = holder.name;
    }
  }
}
