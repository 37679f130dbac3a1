import { isDigit } from '../text/characters.ts';

/** A word of a line. `end` is before the commas and full stops at its end. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** As written, without commas. */
  readonly text: string;
  /** In lower case, without full stops at its end. */
  readonly plain: string;
}

const maxLength = 24;

/** Whether a UTF-16 unit ends a word: white space, brackets, quotation marks and the like, but not comma and full stop. */
function endsWord(unit: number): boolean {
  if (Number.isNaN(unit) || unit <= 34 || unit === 0xa0 || unit === 0x202f || unit === 0x201c || unit === 0x201d)
    return true;
  return unit < 128 && stops.includes(unit);
}

const stops = [...'()[]{}<>|=;:!?*"`$%&+~@\\_'].map((character) => character.charCodeAt(0));

const isSpace = (unit: number): boolean => unit === 32 || unit === 0xa0;

function makeWord(text: string, start: number, end: number): Word {
  let last = end;
  while (text[last - 1] === ',') last--;
  const whole = text.slice(start, last);
  let plainEnd = whole.length;
  while (whole[plainEnd - 1] === '.') plainEnd--;
  return { start, end: start + plainEnd, text: whole, plain: whole.slice(0, plainEnd).toLowerCase() };
}

/** The words of the same line that end before `at`, the nearest first; at most `count` of at most 24 units. */
export function wordsBefore(text: string, at: number, count: number): Word[] {
  const words: Word[] = [];
  while (words.length < count) {
    let end = at;
    while (isSpace(text.charCodeAt(end - 1)) && at - end < 3) end--;
    if (end === at && (text[end - 1] !== '.' || isDigit(text.charCodeAt(end - 2)))) break;
    let start = end;
    while (end - start < maxLength && !endsWord(text.charCodeAt(start - 1))) start--;
    if (start === end || end - start === maxLength) break;
    words.push(makeWord(text, start, end));
    at = start;
  }
  return words;
}

/** The words of the same line from `at` on; at most `count` of at most 24 units. A word that a comma ends is the last. */
export function wordsAfter(text: string, at: number, count: number): Word[] {
  const words: Word[] = [];
  while (words.length < count) {
    let start = at;
    while (isSpace(text.charCodeAt(start)) && start - at < 3) start++;
    if (start === at) break;
    let end = start;
    while (end - start < maxLength && !endsWord(text.charCodeAt(end))) end++;
    if (start === end || end - start === maxLength) break;
    words.push(makeWord(text, start, end));
    if (text[end - 1] === ',') break;
    at = end;
  }
  return words;
}

/** Whether a word begins with a capital letter. */
export function isCapital({ text }: Word): boolean {
  const unit = text.charCodeAt(0);
  return unit < 128 ? unit >= 65 && unit <= 90 : /^\p{Lu}/u.test(text);
}
