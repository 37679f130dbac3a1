import { findShadowed, visitLiterals } from '../json/faults.ts';
import { tryParse } from '../json/members.ts';
import { describeKey, label, maxText, visitBody } from './strings.ts';
import type { Writing } from './writing.ts';

/** Words of a protocol, `user`, `chat_completion`: no PII is a single word this short. */
const bland = /^[A-Za-z_-]{0,15}$/;

/** The provider's own ids: some are numbers, and one in thirty passes the checksum of a card by chance. */
const idKey = /(?:^id|_id|Id)$/;
const number = /^\d{1,40}$/;

/** Padding that providers add to hide the length of a message. */
const padding = /^[A-Za-z\d]{0,64}$/;

function isProviders(key: string, text: string): boolean {
  return (number.test(text) && idKey.test(key)) || (key === 'obfuscation' && padding.test(text));
}

export class BesideText {
  readonly #from: 'request' | 'answer';
  readonly #seen = new Set<string>();
  readonly #texts: string[] = [];
  #left = maxText;

  constructor(from: 'request' | 'answer') {
    this.#from = from;
  }

  add(body: unknown, read: readonly string[]): void {
    // A frame has one text or two: a set would cost more than it saves.
    const known = read.length > 4 ? new Set(read) : null;
    visitBody(body, (text, _isRead, key) => {
      if (this.#seen.has(text) || (text.length < 16 && bland.test(text))) return true;
      if (known ? known.has(text) : read.includes(text)) return true;
      if (this.#from === 'answer' && isProviders(key, text)) return true;
      if (this.#left <= 0) {
        this.#left = -1;
        return false;
      }
      this.#seen.add(text);
      this.#texts.push(text.slice(0, this.#left));
      this.#left -= text.length;
      return this.#left >= 0;
    });
  }

  read(read: readonly string[] = []): Writing {
    const known = new Set(read);
    return { parts: this.#texts.filter((text) => !known.has(text)), whole: this.#left >= 0 };
  }
}

/** A body's text, and in `beside` every other string of it. @param lost from `findLostText` */
export function addBeside(
  from: 'request' | 'answer',
  body: unknown,
  { parts, whole }: Writing,
  lost: readonly string[] = [],
): Writing {
  const beside = new BesideText(from);
  beside.add(body, parts);
  beside.add(lost, parts);
  const found = beside.read();
  return { parts, beside: found.parts, whole: whole && found.whole };
}

interface Level {
  isFree: boolean;
  key: string;
}

/** A longer key gives its value no meaning. */
const maxKey = 64;

const startsValue = /\s*:/y;
const numeral = /-?\d[\d.eE+-]*/y;

/** Also numbers of tools that lost digits, with their keys. @param json may be cut off */
export function findLostText(json: string, value: unknown, shadowed = findShadowed(json, value)): string[] {
  if (shadowed !== null) return [...shadowed, ...findNumbers(json, () => true)];
  return /\d{16}/.test(json) ? findNumbers(json, losesDigits) : [];
}

const losesDigits = (digits: string) => /^-?\d{16}/.test(digits) && String(Number(digits)) !== digits;

function findNumbers(json: string, isWanted: (digits: string) => boolean): string[] {
  const found: string[] = [];
  const open: Level[] = [];
  let top: Level = { isFree: false, key: '' };
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
        numeral.lastIndex = at;
        const digits = numeral.exec(json)?.[0] ?? sign;
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
