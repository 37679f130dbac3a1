import type { PiiType } from '../pii-types.ts';
import { digitAt, isCalendarDate, isYearMonthDay, weighDigits } from '../text/check-digits.ts';
import { checkFrance, type IdCountry } from './digit-ids.ts';

/** A national number with letters in it, or longer than any other. It is found by its first group of digits. */
export interface LetteredId {
  readonly type: PiiType;
  /** How many digits its first group has. */
  readonly firstDigits: number;
  /** The most units before that group. */
  readonly before: number;
  /** The whole number: sticky, and of bounded length. */
  readonly pattern: RegExp;
  /** True if its check digits are right. Takes the pattern's match in upper case, without separators. */
  readonly check: (id: string) => boolean;
  /** Words that must be near it, because its form is too common without them. */
  readonly words?: RegExp | undefined;
}

function letteredId(
  country: IdCountry,
  { firstDigits, before = 0 }: { firstDigits: number; before?: number },
  pattern: RegExp,
  check: LetteredId['check'],
  words?: RegExp,
): LetteredId {
  return { type: `national_id_${country}`, firstDigits, before, pattern, check, words };
}

const letterAt = (id: string, index: number): number => id.charCodeAt(index) - 65;

const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';
const checkSpain = (id: string): boolean => {
  const digits = id.slice(0, 8).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
  return !/^0{8}/.test(digits) && spanishLetters[Number(digits) % 23] === id[8];
};

const finnishCharacters = '0123456789ABCDEFHJKLMNPRSTUVWXY';
const checkFinland = (id: string): boolean => {
  const birth = id.slice(0, 6);
  const [day, month, year] = [birth.slice(0, 2), birth.slice(2, 4), birth.slice(4, 6)].map(Number);
  const number = id.slice(-4, -1);
  return (
    isCalendarDate(year as number, month as number, day as number) &&
    Number(number) >= 2 &&
    finnishCharacters[Number(birth + number) % 31] === id.at(-1)
  );
};

/** The values of letters and digits at the odd places of a codice fiscale. */
const italianOdd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
const checkItaly = (id: string): boolean => {
  let sum = 0;
  for (let index = 0; index < 15; index++) {
    const unit = id.charCodeAt(index);
    const value = unit < 65 ? unit - 48 : unit - 65;
    sum += index % 2 === 0 ? (italianOdd[value] as number) : value;
  }
  return sum % 26 === letterAt(id, 15);
};

const mexicanCharacters = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';
const checkMexico = (id: string): boolean => {
  let sum = 0;
  for (let index = 0; index < 17; index++) sum += mexicanCharacters.indexOf(id[index] as string) * (18 - index);
  return isYearMonthDay(id.slice(4, 10)) && (10 - (sum % 10)) % 10 === digitAt(id, 17);
};

const checkChina = (id: string): boolean => {
  const date = [id.slice(6, 10), id.slice(10, 12), id.slice(12, 14)].map(Number) as [number, number, number];
  const rest = weighDigits(id, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11;
  return isCalendarDate(...date) && '10X98765432'[rest] === id[17];
};

const checkIreland = (id: string): boolean => {
  const second = id.length > 8 && id[8] !== 'W' ? letterAt(id, 8) + 1 : 0;
  return (weighDigits(id, [8, 7, 6, 5, 4, 3, 2]) + 9 * second) % 23 === (letterAt(id, 7) + 1) % 23;
};

const checkChile = (id: string): boolean => {
  const rest = 11 - (weighDigits(id.padStart(9, '0'), [3, 2, 7, 6, 5, 4, 3, 2]) % 11);
  return (rest === 11 ? '0' : rest === 10 ? 'K' : String(rest)) === id.at(-1);
};

/** Corsica's departments are written 2A and 2B, and count as 19 and 18. */
const checkCorsica = (id: string): boolean => checkFrance(id.replace('2A', '19').replace('2B', '18'));

/** British national insurance numbers have no check digit, but some prefixes were never given out. */
const checkInsurance = (id: string): boolean => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(id);

export const letteredIds: readonly LetteredId[] = [
  letteredId('cl', { firstDigits: 2 }, /\d\d\.\d{3}\.\d{3}-[\dKk]/y, checkChile),
  letteredId('cl', { firstDigits: 1 }, /\d\.\d{3}\.\d{3}-[\dKk]/y, checkChile),
  letteredId('cl', { firstDigits: 8 }, /\d{8}-[\dKk]/y, checkChile, /\b(?:rut|run)\b/i),
  letteredId('cn', { firstDigits: 18 }, /[1-9]\d{5}(?:19|20)\d{10}/y, checkChina),
  letteredId('cn', { firstDigits: 17 }, /[1-9]\d{5}(?:19|20)\d{9}[Xx]/y, checkChina),
  letteredId('es', { firstDigits: 8 }, /\d{8}[ -]?[A-HJ-NP-TV-Z]/y, checkSpain),
  letteredId('es', { firstDigits: 7, before: 2 }, /[XYZ][ -]?\d{7}[ -]?[A-HJ-NP-TV-Z]/y, checkSpain),
  letteredId('fi', { firstDigits: 6 }, /\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]/y, checkFinland),
  letteredId('fr', { firstDigits: 6 }, /[12]\d{4}2[AB]\d{8}/y, checkCorsica),
  letteredId(
    'gb',
    { firstDigits: 2, before: 3 },
    /[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d\d \d\d \d\d [A-D]/y,
    checkInsurance,
  ),
  letteredId(
    'gb',
    { firstDigits: 6, before: 3 },
    /[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{6} ?[A-D]/y,
    checkInsurance,
    /national insurance|\bn\.?i\.? (?:n|#)|\bnino\b/i,
  ),
  letteredId('ie', { firstDigits: 7 }, /\d{7} ?[A-W][A-IW]?/y, checkIreland, /\bpps(?:n|\b)|personal public service/i),
  letteredId(
    'it',
    { firstDigits: 2, before: 6 },
    /[A-Z]{6}\d\d[A-EHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]/y,
    checkItaly,
  ),
  letteredId('mx', { firstDigits: 6, before: 4 }, /[A-Z]{4}\d{6}[HMX][A-Z]{5}[\dA-Z]\d/y, checkMexico),
];
