import { isDigit } from '../text/characters.ts';
import {
  boxWords,
  capitalLeadingTypes,
  connectives,
  countries,
  englishTypes,
  isCapital,
  joinedTypes,
  leadingTypes,
  notStreets,
  plainTypes,
  sureUnits,
  trailingTypes,
  units,
  usStates,
  type Word,
  wordsAfter,
  wordsBefore,
} from './address-words.ts';

/** A `tail` is a bare number: a house number or postcode. */
type PartKind = 'street' | 'name' | 'unit' | 'code' | 'tail';

export interface Part {
  readonly kind: PartKind;
  readonly weight: number;
  readonly start: number;
  readonly end: number;
}

/** The weight at which neighbouring parts are an address. */
export const enough = 2;

/** How many words on each side of a number count. */
export const reach = 6;

const isName = (word: Word): boolean =>
  isCapital(word) || (isDigit(word.plain.charCodeAt(0)) && /^\d+(?:st|nd|rd|th)$/.test(word.plain));
const isLongWord = ({ text }: Word): boolean => /^\p{L}{4,}$/u.test(text);
const isStreetName = (word: Word): boolean => isName(word) && !notStreets.has(word.plain);
const isFiller = (word: Word): boolean => isName(word) || connectives.has(word.plain);

const smallStreet = / [a-z]{3,20}(?: [a-z]{3,20})? (?:street|avenue|ave|boulevard|blvd)\b/y;

export function readPart(text: string, start: number, end: number): Part | null {
  return readBefore(text, start, end) ?? readTail(text, start, end);
}

/** One word on each side is enough to reject nearly all numbers. */
function readBefore(text: string, start: number, end: number): Part | null {
  const nearest = wordsBefore(text, start, 1)[0];
  const before = nearest !== undefined && mayBelong(nearest) ? wordsBefore(text, start, reach) : [];
  const codeOrUnit = readUnit(text, before, end) ?? readCode(before, start, end);
  if (codeOrUnit?.weight === enough) return codeOrUnit;
  const isNumbered = nearest !== undefined && notStreets.has(nearest.plain) && isCapital(nearest);
  const behind = isNumbered ? null : readStreetBehind(text, start, end);
  if (behind?.weight === enough) return behind;
  const street = readStreetBefore(text, before, start, end);
  return street?.weight === enough ? street : (codeOrUnit ?? behind ?? street);
}

/** Words that count without a capital letter. */
export const addressWords: ReadonlySet<string> = new Set([
  ...sureUnits,
  ...units,
  ...boxWords,
  ...trailingTypes,
  ...leadingTypes,
  ...[...countries].map((name) => name.slice(name.lastIndexOf(' ') + 1)),
  ...['aa', 'ae', 'ap'],
]);

const mayBelong = (word: Word): boolean =>
  isCapital(word) || addressWords.has(word.plain) || (word.plain.length > 6 && joinedTypes.test(word.plain));

function readTail(text: string, start: number, end: number): Part | null {
  if (end - start < 3 || !' ,\n'.includes(text.charAt(start - 1))) return null;
  return !isPartOfRun(text, start, end) ? { kind: 'tail', weight: 0, start, end } : null;
}

/** Further digits are joined to these, or groups of digits surround them as in a phone number. */
function isPartOfRun(text: string, start: number, end: number): boolean {
  if (!isDigit(text.charCodeAt(start - 2)) && !isDigit(text.charCodeAt(end + 1))) return false;
  const before = text.slice(Math.max(0, start - 8), start);
  const after = text.slice(end, end + 8);
  const groups = [/\d $/.test(before), /\d[ ./-]\d+ $/.test(before), /^ \d/.test(after), /^ \d+[ ./-]\d/.test(after)];
  return /\d\)?[./-]$/.test(before) || /^[./-]\d/.test(after) || groups.filter(Boolean).length > 1;
}

/** `Suite 5`, `P.O. Box 12`, `Unit 7 Box 12`, `Postfach 12`. */
function readUnit(text: string, before: readonly Word[], end: number): Part | null {
  const [word, other] = before;
  if (word === undefined) return null;
  const { plain } = word;
  if (boxWords.has(plain.replaceAll('.', ''))) return { kind: 'street', weight: enough, start: word.start, end };
  if (plain === 'box' && other !== undefined) {
    const isPost = /^p\.?o$|^o$|^post$/.test(other.plain) || isDigit(text.charCodeAt(other.end - 1));
    if (isPost) return { kind: 'street', weight: enough, start: other.start, end };
  }
  if (sureUnits.has(plain)) return { kind: 'unit', weight: 1, start: word.start, end };
  return units.has(plain) ? { kind: 'unit', weight: 0.5, start: word.start, end } : null;
}

/** A state, country or kind of code before a postcode: `, IL 62704`, `APO AE 09012`, `Austria 1010`, `ZIP: 1010`. */
function readCode(before: readonly Word[], start: number, end: number): Part | null {
  const length = end - start;
  const [word, other] = before;
  if (word === undefined || length < 3 || length > 6) return null;
  const part = (weight: number, first: Word): Part => ({ kind: 'code', weight, start: first.start, end });
  const code = word.text.toUpperCase();
  if (length === 5 && usStates.has(code)) {
    if (/^(?:apo|fpo|dpo)$/.test(other?.plain ?? '')) return part(enough, other as Word);
    if (word.text === code && other !== undefined && isCapital(other) && other.plain.length > 2)
      return part(enough, other);
  }
  for (let count = Math.min(4, before.length); count > 0; count--) {
    const name = before
      .slice(0, count)
      .reverse()
      .map(({ plain }) => plain)
      .join(' ');
    if (countries.has(name)) return part(1, before[count - 1] as Word);
  }
  if (/^[A-Z]{1,3}$/.test(word.text) && length >= 4 && other !== undefined && isCapital(other)) return part(1, word);
  return null;
}

/** A kind of street behind the number: `12 Oak Lane`, `12 rue de Rivoli`. */
function readStreetBehind(text: string, start: number, end: number): Part | null {
  const nearest = wordsAfter(text, end, 1)[0];
  if (nearest === undefined) return null;
  if (!isName(nearest) && !leadingTypes.has(nearest.plain)) {
    smallStreet.lastIndex = end;
    return smallStreet.test(text) ? { kind: 'name', weight: 1, start, end: smallStreet.lastIndex } : null;
  }
  const after = wordsAfter(text, end, reach);
  const first = after[0] ?? nearest;
  if ((leadingTypes.has(first.plain) && first.plain !== 'al') || capitalLeadingTypes.has(first.text)) {
    const last = lastName(after, plainTypes.has(first.plain));
    if (last !== null) return { kind: 'street', weight: enough, start, end: last.end };
  }
  for (let index = 1; index < after.length; index++) {
    const word = after[index] as Word;
    const names = after.slice(0, index);
    const isType = englishTypes.has(word.plain) || trailingTypes.has(word.plain);
    if (isType && isCapital(word) && names.every(isFiller) && names.some(isStreetName))
      return { kind: 'street', weight: enough, start, end: word.end };
  }
  return null;
}

function lastName(words: readonly Word[], anyCase: boolean): Word | null {
  let last: Word | null = null;
  for (const word of words.slice(1)) {
    if (isName(word) || (anyCase && last === null && isLongWord(word))) last = word;
    else if (!connectives.has(word.plain)) break;
  }
  return last;
}

/** A street before the number: `Koskikatu 25`, `Rákóczi út 13.`, `Via Roma 131`, and as a guess any name: `Allika 46`. */
function readStreetBefore(text: string, before: readonly Word[], start: number, end: number): Part | null {
  const [word, other] = before;
  if (word === undefined || end - start > 5) return null;
  const street = (first: Word): Part => ({ kind: 'street', weight: enough, start: first.start, end });
  const guess = (first: Word): Part => ({ kind: 'name', weight: 1, start: first.start, end });
  if (word.plain.length > 6 && joinedTypes.test(word.plain)) return isCapital(word) ? street(word) : guess(word);
  if (other !== undefined && trailingTypes.has(word.plain)) {
    if (isStreetName(other)) return street(firstName(before.slice(1)));
    if (plainTypes.has(word.plain) && isLongWord(other)) return street(other);
  }
  for (const [index, first] of before.entries()) {
    const names = before.slice(0, index);
    if (isLeading(first) && names.some(plainTypes.has(first.plain) ? isLongWord : isCapital)) return street(first);
    if (!isFiller(first) && !isLongWord(first)) break;
  }
  if (!isCapital(word) || notStreets.has(word.plain) || !/^\p{L}[\p{L}'.-]{2,}$/u.test(word.text)) return null;
  // "Sludevej 13 St.", "West 34 Street": a kind of street behind the number is as good as one before it.
  if (/^st(?:r|reet)?$/.test(wordsAfter(text, end, 1)[0]?.plain ?? '')) return street(word);
  return guess(firstName(before));
}

function firstName(words: readonly Word[]): Word {
  const other = words.findIndex((word) => !isName(word));
  return words[other === -1 ? words.length - 1 : Math.max(0, other - 1)] as Word;
}

const isLeading = ({ plain, text }: Word): boolean => leadingTypes.has(plain) || capitalLeadingTypes.has(text);
