import { findShadowed, visitLiterals } from '../json/find-shadowed.ts';
import { tryParse } from '../json/try-parse.ts';
import { describeKey } from './place-member.ts';
import { label } from './visit-strings.ts';

/** An object or a list that is open. */
interface Level {
  /** A tool wrote it: its numbers are text. */
  isFree: boolean;
  /** Of the member that is being read. */
  key: string;
}

/** A longer key gives its value no meaning. */
const maxKey = 64;

const startsValue = /\s*:/y;
const number = /-?\d[\d.eE+-]*/y;

/**
 * The strings of a JSON body that are missing in its parsed value, and the numbers in tool arguments and results that are missing or
 * have lost digits there, with their keys before them.
 *
 * @param json what was parsed; it may be cut off
 * @param shadowed from {@link findShadowed}
 */
export function findLostText(json: string, value: unknown, shadowed = findShadowed(json, value)): string[] {
  if (shadowed !== null) return [...shadowed, ...findNumbers(json, () => true)];
  return /\d{16}/.test(json) ? findNumbers(json, losesDigits) : [];
}

const losesDigits = (digits: string) => /^-?\d{16}/.test(digits) && String(Number(digits)) !== digits;

function findNumbers(json: string, isWanted: (digits: string) => boolean): string[] {
  const found: string[] = [];
  const open: Level[] = [];
  let top: Level = { isFree: false, key: '' };
  // As in the parsed body: the members of the root are the API's own.
  const isFree = () =>
    top.isFree || (describeKey(top.key).place === 'free' && (open.length > 1 || top.key === 'metadata'));
  const key = () => (top.isFree ? top.key : '');
  const readBetween = (start: number, end: number) => {
    for (let at = start; at < end; at++) {
      const sign = json[at] as string;
      if (sign === '{' || sign === '[') {
        const inner = { isFree: isFree(), key: key() };
        open.push(top);
        top = inner;
      } else if (sign === '}' || sign === ']') top = open.pop() ?? top;
      else if (sign === '-' || (sign >= '0' && sign <= '9')) {
        number.lastIndex = at;
        const digits = number.exec(json)?.[0] ?? sign;
        if (isFree() && isWanted(digits)) found.push(label(key(), digits));
        at += digits.length - 1;
      }
    }
  };
  let past = 0;
  visitLiterals(json, (start, end) => {
    readBetween(past, start);
    past = end;
    startsValue.lastIndex = end;
    if (startsValue.test(json)) top.key = end - start > maxKey ? '' : String(tryParse(json.slice(start, end)));
  });
  readBetween(past, json.length);
  return found;
}
