import { endString, maxJsonDepth, parseJson } from '@agp/core/json';
import { isFreeMember } from '../text/strings.ts';
import { findSigned, isSignature } from './blocks.ts';
import { type Holder, type Literal, openHolder } from './holder.ts';

const counting = /(?:^|_)index$|^item_id$/;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const space = /[ \t\n\r]*/y;
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

/** @param value as it is written, without quotes */
function note(holder: Holder, key: string, value: string): void {
  if (holder.isFree || holder.isArray) return;
  if (key === 'type') holder.type = value;
  else if (key === 'role') holder.role = value;
  else if (key === 'thought') findSigned(holder).isThought = value === 'true';
  else if (counting.test(key)) holder.index += holder.index.length < 256 ? `${value.slice(0, 256)},` : '';
  else if (isSignature(key) && value !== '') findSigned(holder).isSigned = true;
}

/** More take too much memory. */
const maxLiterals = 1_000_000;

/** Every literal of JSON in order, those of repeated members too; null if it is no JSON, nests too deep or has more than a million. */
export function listLiterals(json: string, isFree = false): Literal[] | null {
  const found: Literal[] = [];
  let at = 0;
  let holder: Holder | null = null;
  let key = '';
  const position: number[] = [];
  let depth = 0;
  const skip = () => {
    space.lastIndex = at;
    space.test(json);
    at = space.lastIndex;
    return json[at];
  };
  const open = (isArray: boolean): void => {
    const inList = holder?.isArray === true;
    const name: string = inList ? `${position.at(-1)}` : key;
    const free: boolean =
      holder === null ? isFree : holder.isFree || (!inList && isFreeMember(key, holder.parent === null));
    holder = openHolder(holder, name, isArray, free);
    position.push(0);
    depth += 1;
    at += 1;
  };
  const close = (): void => {
    holder = holder?.parent ?? null;
    position.pop();
    depth -= 1;
    at += 1;
  };
  const root = openHolder(null, '', true, isFree);
  for (;;) {
    const first = skip();
    const inObject: boolean = holder !== null && !(holder as Holder).isArray;
    if (inObject) {
      if (first !== '"') return null;
      const end = endString(json, at + 1);
      const name = end < 0 ? null : decodeName(json.slice(at, end));
      if (name === null) return null;
      key = name;
      found.push({ start: at, end, kind: 'name', key, holder: holder ?? root });
      at = end;
      if (skip() !== ':') return null;
      at += 1;
      skip();
    }
    const sign = json[at];
    if (sign === '{' || sign === '[') {
      open(sign === '[');
      if (depth > maxJsonDepth) return null;
      if (skip() !== (sign === '[' ? ']' : '}')) continue;
      close();
    } else if (sign === '"') {
      const end = endString(json, at + 1);
      if (end < 0) return null;
      const around: Holder = holder ?? root;
      found.push({ start: at, end, kind: 'string', key, holder: around });
      note(around, key, json.slice(at + 1, end - 1));
      at = end;
    } else {
      scalar.lastIndex = at;
      if (!scalar.test(json)) return null;
      const around: Holder = holder ?? root;
      const end = scalar.lastIndex;
      if (/[\d]/.test(json[end - 1] as string)) found.push({ start: at, end, kind: 'number', key, holder: around });
      note(around, key, json.slice(at, end));
      at = end;
    }
    let next = skip();
    while (holder !== null && next === ((holder as Holder).isArray ? ']' : '}')) {
      key = (holder as Holder).name;
      close();
      next = skip();
    }
    if (holder === null) return next === undefined ? found : null;
    if (next !== ',' || found.length > maxLiterals) return null;
    at += 1;
    if ((holder as Holder).isArray) {
      position[position.length - 1] = (position.at(-1) ?? 0) + 1;
      key = (holder as Holder).name;
    }
  }
}
