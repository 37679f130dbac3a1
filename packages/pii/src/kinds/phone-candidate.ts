import { isWordUnit } from '../text/characters.ts';
import type { DigitRun } from '../text/digit-run.ts';

export interface PhoneCandidate {
  text: string;
  start: number;
  end: number;
  digits: string;
  /** The lengths of the groups with the characters between them, such as `+2 4 6` or `(3) 3-4`. */
  shape: string;
}

/** The beginning of a number before its groups of digits: `+`, `(020) `, `+44 (0)`, `1 (415) `. */
const opening = /(?:\+\d{0,3}[ .-]?(?:\(\d{1,5}\)[ .-]?)?|(?<![\w.+)])(?:\d{1,3}[ .-]?)?\(\d{1,5}\)[ .-]?)$/;
/** A zero in parentheses is not dialled from abroad. */
const trunkZero = /^(\+\d{1,3}[ .-]?)\(0\)/;

const extension = / ?(?:x|ext\.?|extension|#) ?\d{1,6}(?![\w-])/iy;

export function readPhoneCandidate(window: DigitRun): PhoneCandidate {
  const { text, start, end } = window;
  const last = text.charAt(start - 1);
  const isOpened = last === '+' || last === ')' || text.charAt(start - 2) === ')' || text.charAt(start - 2) === '+';
  const before = isOpened ? (opening.exec(text.slice(Math.max(0, start - 14), start))?.[0] ?? '') : '';
  extension.lastIndex = end;
  return {
    text,
    start: start - before.length,
    end: extension.test(text) ? extension.lastIndex : end,
    digits: before.replace(trunkZero, '$1').replaceAll(/\D/g, '') + window.digits,
    shape: before.replaceAll(/\d+/g, (digits) => String(digits.length)) + window.shape,
  };
}

/** Seconds behind hours and minutes, and hours before minutes. */
const timeBefore = /\d:[0-5]\d:$/;
const timeBehind = /^:[0-5]\d(?!\d)/;
/** A day and a time before the level of a line of a log, `[0717/114521:ERROR`. */
const levelBehind = /^:[A-Z]{2}/;

/** As in part numbers, versions, fractions, times and amounts of money. */
export function belongsToMore({ text, start, end }: PhoneCandidate): boolean {
  const before = text.charAt(start - 1);
  const after = text.charAt(end);
  if (before === ':' && timeBefore.test(text.slice(start - 6, start))) return true;
  if (after === ':' && timeBehind.test(text.slice(end, end + 4))) return true;
  if (/[[:]/.test(before) && levelBehind.test(text.slice(end, end + 3))) return true;
  if (isWordUnit(text.charCodeAt(start - 1)) || isWordUnit(text.charCodeAt(end)) || /[$€£¥#]/.test(before)) return true;
  if (/[-./+]/.test(before) && isWordUnit(text.charCodeAt(start - 2))) return true;
  return after === '%' || (/[-./]/.test(after) && isWordUnit(text.charCodeAt(end + 1)));
}
