import { isWordUnit, matchAt } from '../text/characters.ts';
import { enough, type Part } from './read-part.ts';

/** Postcodes with letters: of the United Kingdom, Canada and the Netherlands, with or without the space. */
const british = /[A-PR-UWYZ][A-HK-Y]?\d[A-HJKPSTUW\d]? \d[ABD-HJLNP-UW-Z]{2}/y;
const canadian = /[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] \d[ABCEGHJ-NPRSTV-Z]\d/y;
const dutch = /[1-9]\d{3} [A-Z]{2}/y;

/** Other codes, behind a word for them. */
const anyCode = /[A-Z]{0,2}\d[\dA-Z]{1,7}(?:[ -][\dA-Z]{2,4})?/y;
const words =
  /(?:\bzip(?: ?code)?|\bpost(?:al)? ?code|\bpostleitzahl|\bplz|\bcode postal|\bc[óo]digo postal|\bcep|\bcap)\b[ :=#]{1,3}(?:is )?[A-Z]{0,2}$/i;

/** Units of measure that look like the end of a British postcode. */
const measures = /(?:GB|TB|PB|HZ|ED)$/;

/** Reads the postcode around a number, which may begin up to two letters before the number; null without one. */
export function findPostcode(text: string, start: number, end: number): Part | null {
  let first = start;
  while (start - first < 2 && isCapitalUnit(text.charCodeAt(first - 1))) first--;
  if (isWordUnit(text.charCodeAt(first - 1))) return null;
  const part = (weight: number, last: number): Part => ({ kind: 'code', weight, start: first, end: last });
  if (end - start >= 2 && mayEndWords(text, first) && words.test(text.slice(Math.max(0, start - 24), start))) {
    const last = findEnd(anyCode, text, first);
    return last === null ? null : part(enough, last);
  }
  if (first < start) {
    const last = findEnd(british, text, first) ?? findEnd(canadian, text, first);
    if (last === null) return null;
    // "M4 3LR" is a screw, and "SW2 8GB" a disk, as often as a place.
    const isCommon = text[first + 2] === ' ' || measures.test(text.slice(first, last));
    return part(isCommon ? 1 : enough, last);
  }
  const last = end - start === 4 ? findEnd(dutch, text, first) : null;
  return last === null || /^\s(?:AM|PM|AD|BC|CE|KB|MB|GB|TB|MS|US|UK|EU|UTC|IN|OR)/.test(text.slice(end, last))
    ? null
    : part(1, last);
}

const isCapitalUnit = (unit: number): boolean => unit >= 65 && unit <= 90;

/** Whether the last letter before a code is one that {@link words} end with: a cheap check before the costly one. */
function mayEndWords(text: string, at: number): boolean {
  let end = at;
  while (at - end < 4 && ' :=#'.includes(text.charAt(end - 1))) end--;
  return end < at && 'pelzsPELZS'.includes(text.charAt(end - 1) || ' ');
}

/** Where the match at `at` ends; null without a match, or if a letter or digit follows. */
function findEnd(pattern: RegExp, text: string, at: number): number | null {
  return matchAt(pattern, text, at) && !isWordUnit(text.charCodeAt(pattern.lastIndex)) ? pattern.lastIndex : null;
}
