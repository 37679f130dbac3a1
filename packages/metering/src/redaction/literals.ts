import { maxJsonDepth, parseJson } from '@agp/core/json';
import { isFreeMember } from '../text/strings.ts';

/** An object or array that is open, and what tells it from its likes. */
export interface Holder {
  parent: Holder | null;
  /** Its member in the object around it, or its place in a list; empty in lists whose parts are read as one text. */
  name: string;
  isArray: boolean;
  /** JSON of a tool: its names are not the API's. */
  isFree: boolean;
  /** Its numbers of choices, blocks and items, each with a comma. */
  index: string;
  type: string;
}

/** A string, number or name of a member in JSON, from `start` to before `end`, with its quotes. */
export interface Literal {
  start: number;
  end: number;
  kind: 'string' | 'number' | 'name';
  /** The member that holds it, directly or in a list. */
  key: string;
  holder: Holder;
}

/** Lists whose parts a model reads as one text. */
const joined = new Set(['content', 'parts', 'system', 'logprobs']);
const counting = /(?:^|_)index$|^item_id$/;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const space = /[ \t\n\r]*/y;

/** Past the closing quote of the string that starts here; -1 if it has none. */
export function endString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return -1;
}

export function decodeLiteral(literal: string): string | null {
  try {
    return parseJson(literal) as string;
  } catch {
    return null;
  }
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
    const isJoined = holder !== null && (holder.parent === null || joined.has(holder.name));
    const name: string = inList ? (isJoined ? '' : `${position.at(-1)}`) : key;
    const free: boolean =
      holder === null ? isFree : holder.isFree || (!inList && isFreeMember(key, holder.parent === null));
    holder = { parent: holder, name, isArray, isFree: free, index: '', type: '' };
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
  const root: Holder = { parent: null, name: '', isArray: true, isFree, index: '', type: '' };
  for (;;) {
    const first = skip();
    const inObject: boolean = holder !== null && !(holder as Holder).isArray;
    if (inObject) {
      if (first !== '"') return null;
      const end = endString(json, at);
      const name = end < 0 ? null : decodeLiteral(json.slice(at, end));
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
      const end = endString(json, at);
      if (end < 0) return null;
      const around: Holder = holder ?? root;
      found.push({ start: at, end, kind: 'string', key, holder: around });
      if (key === 'type') around.type = json.slice(at + 1, end - 1);
      else if (counting.test(key) && around.index.length < 256) around.index += `${json.slice(at, end)},`;
      at = end;
    } else {
      scalar.lastIndex = at;
      if (!scalar.test(json)) return null;
      const around: Holder = holder ?? root;
      const end = scalar.lastIndex;
      if (/[\d]/.test(json[end - 1] as string)) found.push({ start: at, end, kind: 'number', key, holder: around });
      if (counting.test(key) && around.index.length < 256) around.index += `${json.slice(at, end)},`;
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
