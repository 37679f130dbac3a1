import type { PiiType } from '../pii-types.ts';
import {
  digitAt,
  isCalendarDate,
  isYearMonthDay,
  passesLuhn,
  passesMod1110,
  passesVerhoeff,
  weighDigits,
} from '../text/check-digits.ts';

export type IdCountry = PiiType extends infer Type
  ? Type extends `national_id_${infer Country}`
    ? Country
    : never
  : never;

interface DigitId {
  readonly type: PiiType;
  readonly length: number;
  readonly words: RegExp;
  /** Takes exactly `length` digits. */
  readonly check: (digits: string) => boolean;
  /** The groupings ({@link DigitRun.shape}) that need no word nearby. */
  readonly shapes: readonly string[];
}

function digitId(
  country: IdCountry,
  length: number,
  words: RegExp,
  check: DigitId['check'],
  shapes: readonly string[] = [],
): DigitId {
  return { type: `national_id_${country}`, length, words, check, shapes };
}

const last = (digits: string): number => digitAt(digits, digits.length - 1);
const slice = (digits: string, start: number, end: number): number => Number(digits.slice(start, end));

const complement11 = (sum: number): number => ((11 - (sum % 11)) % 11) % 10;

/** The month, if the century or the sex is encoded as a number added to it. */
const plainMonth = (month: number, steps: readonly number[]): number =>
  month - (steps.findLast((step) => month > step) ?? 0);

function checkBrazil(digits: string): boolean {
  const first = complement11(weighDigits(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]));
  const second = complement11(weighDigits(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]));
  return first === digitAt(digits, 9) && second === last(digits) && !/^(.)\1+$/.test(digits);
}

/** One of the first ten digits occurs two or three times, and no other more than once. */
function checkGermany(digits: string): boolean {
  if (digitAt(digits, 0) === 0) return false;
  const distinct = new Set(digits.slice(0, 10)).size;
  if (distinct !== 8 && distinct !== 9) return false;
  const counts = [...'0123456789'].map((digit) => digits.slice(0, 10).split(digit).length - 1);
  return counts.filter((count) => count > 1).length === 1 && passesMod1110(digits);
}

function checkNorway(digits: string): boolean {
  const [day, month, year] = [slice(digits, 0, 2) % 40, slice(digits, 2, 4), slice(digits, 4, 6)];
  return (
    isCalendarDate(year, month, day) &&
    weighDigits(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    weighDigits(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  );
}

function checkTurkey(digits: string): boolean {
  const odd = weighDigits(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weighDigits(digits, [0, 1, 0, 1, 0, 1, 0, 1]);
  return (
    digitAt(digits, 0) !== 0 &&
    (7 * odd + 9 * even) % 10 === digitAt(digits, 9) &&
    weighDigits(digits, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) % 10 === last(digits)
  );
}

function checkBelgium(digits: string): boolean {
  const [year, month, day] = [slice(digits, 0, 2), plainMonth(slice(digits, 2, 4), [20, 40]), slice(digits, 4, 6)];
  const [number, control] = [slice(digits, 0, 9), slice(digits, 9, 11)];
  // For people born from 2000 on, the control number is computed with a 2 before the number.
  return isCalendarDate(year, month, day) && [number, 2e9 + number].some((value) => 97 - (value % 97) === control);
}

function checkEstonia(digits: string): boolean {
  const century = digitAt(digits, 0);
  if (century < 1 || century > 8 || !isYearMonthDay(digits.slice(1, 7))) return false;
  const first = weighDigits(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  return (first < 10 ? first : (weighDigits(digits, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11) % 10) === last(digits);
}

function checkCzechia(digits: string): boolean {
  const month = plainMonth(slice(digits, 2, 4), [20, 50, 70]);
  if (!isCalendarDate(slice(digits, 0, 2), month, slice(digits, 4, 6))) return false;
  return (slice(digits, 0, 9) % 11) % 10 === last(digits);
}

function checkRomania(digits: string): boolean {
  const county = slice(digits, 7, 9);
  const rest = weighDigits(digits, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
  return (
    digitAt(digits, 0) > 0 &&
    isYearMonthDay(digits.slice(1, 7)) &&
    ((county >= 1 && county <= 52) || county === 70) &&
    (rest === 10 ? 1 : rest) === last(digits)
  );
}

function checkSweden(digits: string): boolean {
  const ten = digits.slice(-10);
  const day = plainMonth(slice(ten, 4, 6), [60]);
  if (digits.length === 12 && !/^(?:18|19|20)/.test(digits)) return false;
  return isCalendarDate(slice(ten, 0, 2), slice(ten, 2, 4), day) && passesLuhn(ten);
}

/** Sex, year and month of birth (above 20 if unknown), place, number, and a key of two digits. */
export function checkFrance(digits: string): boolean {
  const month = slice(digits, 3, 5);
  return (
    /^[1278]/.test(digits) &&
    ((month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50) &&
    97 - (slice(digits, 0, 13) % 97) === slice(digits, 13, 15)
  );
}

const checkBulgaria = (digits: string): boolean =>
  isCalendarDate(slice(digits, 0, 2), plainMonth(slice(digits, 2, 4), [20, 40]), slice(digits, 4, 6)) &&
  (weighDigits(digits, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === last(digits);

const checkPoland = (digits: string): boolean =>
  isCalendarDate(slice(digits, 0, 2), plainMonth(slice(digits, 2, 4), [20, 80]), slice(digits, 4, 6)) &&
  weighDigits(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;

const checkKorea = (digits: string): boolean =>
  isYearMonthDay(digits) &&
  /^.{6}[0-9]/.test(digits) &&
  (11 - (weighDigits(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 === last(digits);

const checkSouthAfrica = (digits: string): boolean =>
  isYearMonthDay(digits) && digitAt(digits, 10) < 2 && passesLuhn(digits);

const checkSwitzerland = (digits: string): boolean =>
  digits.startsWith('756') && weighDigits(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;

const checkNetherlands = (digits: string): boolean =>
  Number(digits) > 0 && weighDigits(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;

const checkPortugal = (digits: string): boolean =>
  /^[1-3]/.test(digits) && complement11(weighDigits(digits, [9, 8, 7, 6, 5, 4, 3, 2])) === last(digits);

const checkAustralia = (digits: string): boolean => weighDigits(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0;
const checkCanada = (digits: string): boolean => /^[1-79]/.test(digits) && passesLuhn(digits);
const checkIndia = (digits: string): boolean => /^[2-9]/.test(digits) && passesVerhoeff(digits);

const checkNhs = (digits: string): boolean =>
  (11 - (weighDigits(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === last(digits) && !/^(.)\1+$/.test(digits);

const checkJapan = (digits: string): boolean =>
  complement11(weighDigits(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2])) === last(digits);

/** A date alone: numbers given out since 2007 have no check digit. */
const checkDenmark = (digits: string): boolean =>
  isCalendarDate(slice(digits, 4, 6), slice(digits, 2, 4), slice(digits, 0, 2));

const swedish = /personn|samordningsn|swedish/i;

/** Of an IPv4 address. */
export const addressShape = /^[1-3](?:\.[1-3]){3}$/;

/**
 * One number in ten passes these checks by chance, so it needs a word nearby or a rare grouping.
 * The rules are our own: `stdnum`, with which the tests compare them, takes thirty times as long (8 µs) and refuses dates in the future.
 */
export const digitIds: readonly DigitId[] = [
  digitId('au', 9, /\btfn\b|tax file n/i, checkAustralia),
  digitId(
    'be',
    11,
    /rijksregister|registre national|num[ée]ro national|\b(?:insz|niss)\b|belgian national/i,
    checkBelgium,
    ['2.2.2-3.2'],
  ),
  digitId('bg', 10, /\begn\b|егн|bulgarian/i, checkBulgaria),
  digitId('br', 11, /\bcpf\b/i, checkBrazil, ['3.3.3-2']),
  digitId('ca', 9, /\b(?:sin|nas)\b|social insurance|assurance sociale/i, checkCanada),
  digitId('ch', 13, /\bahv\b|\bavs\b|\boasi\b|sozialversicherung|swiss/i, checkSwitzerland, ['3.4.4.2']),
  digitId('cz', 10, /rodn[ée] [čc][íi]slo|birth number/i, checkCzechia, ['6/4']),
  digitId('de', 11, /steuer-?\s?(?:id|nummer|identifikation)|\bidnr\b|\btin\b|\btax id/i, checkGermany, ['2 3 3 3']),
  digitId('ee', 11, /isikukood|estonian/i, checkEstonia),
  digitId('fr', 15, /s[ée]curit[ée] sociale|\b(?:nir|insee)\b/i, checkFrance, [
    '15',
    '13 2',
    '1 2 2 2 3 3 2',
    '1.2.2.2.3.3.2',
    '1-2-2-2-3-3-2',
  ]),
  digitId('gb', 10, /\bnhs\b|\bchi n/i, checkNhs),
  digitId('in', 12, /aadh?aar|\buidai\b|\buid\b(?!=\d{1,6}\b)|आधार/i, checkIndia, ['4 4 4', '4-4-4']),
  digitId('jp', 12, /\bmy number\b|マイナンバー|個人番号/i, checkJapan),
  digitId('kr', 13, /주민|resident registration/i, checkKorea, ['6-7']),
  digitId('nl', 9, /\bbsn\b|burgerservicen|sofi-?nummer/i, checkNetherlands),
  digitId('no', 11, /f[øo]dselsn|personn|d-nummer/i, checkNorway, ['11', '6 5', '6-5']),
  digitId('pl', 11, /pesel/i, checkPoland),
  digitId('pt', 9, /\bnif\b|contribuinte/i, checkPortugal),
  digitId('ro', 13, /\bcnp\b|cod(?:ul)? numeric/i, checkRomania),
  digitId('se', 10, swedish, checkSweden, ['6-4', '8-4']),
  digitId('se', 12, swedish, checkSweden, ['6-4', '8-4']),
  digitId('tr', 11, /\btckn\b|kimlik|\bt\.?c\.? ?no/i, checkTurkey),
  digitId('za', 13, /\b(?:sa|rsa) id\b|south african|identity n|\bid n/i, checkSouthAfrica, ['6 4 3', '6 4 2 1']),
  digitId('dk', 10, /\bcpr\b|personnummer/i, checkDenmark),
];
