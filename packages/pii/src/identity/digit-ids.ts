import {
  digitAt,
  isCalendarDate,
  isYearMonthDay,
  passesLuhn,
  passesMod1110,
  passesVerhoeff,
  weighDigits,
} from '../check-digits.ts';
import type { PiiType } from '../pii-types.ts';

/** A national number made of digits alone. */
export interface DigitId {
  readonly type: PiiType;
  readonly length: number;
  /** Whether its digits add up and say something possible. Takes exactly `length` digits. */
  readonly check: (digits: string) => boolean;
  /** The groupings ({@link DigitRun.shape}) that need no word nearby. */
  readonly shapes: readonly string[];
  /** Words near it that make a number in any other grouping one of these. */
  readonly words: RegExp;
}

const last = (digits: string): number => digitAt(digits, digits.length - 1);
const slice = (digits: string, start: number, end: number): number => Number(digits.slice(start, end));

/** The remainder by 11 taken from 11, with 0 in place of 10 and 11. */
const complement11 = (sum: number): number => ((11 - (sum % 11)) % 11) % 10;

/** Months that also say the century or the sex, by a number added to them. */
const plainMonth = (month: number, steps: readonly number[]): number =>
  month - (steps.findLast((step) => month > step) ?? 0);

function checkBrazil(digits: string): boolean {
  const first = complement11(weighDigits(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]));
  const second = complement11(weighDigits(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]));
  return first === digitAt(digits, 9) && second === last(digits) && !/^(.)\1+$/.test(digits);
}

/** Of the first ten digits one stands there twice or three times, and no other more than once. */
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
  // Whoever was born from 2000 on has a 2 before the number when the control number is worked out.
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

/** Sex, year and month of birth (above 20 where unknown), place, number, and a key of two digits. */
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

/**
 * Whose digits a tenth of all numbers has right stands here without a grouping, or with one that little else
 * has. The rules are those that each country publishes; the tests compare them with the library `stdnum`.
 */
export const digitIds: readonly DigitId[] = [
  {
    type: 'national_id_au',
    length: 9,
    check: (digits) => weighDigits(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    shapes: [],
    words: /\btfn\b|tax file n/i,
  },
  {
    type: 'national_id_be',
    length: 11,
    check: checkBelgium,
    shapes: ['2.2.2-3.2'],
    words: /rijksregister|registre national|num[ée]ro national|\b(?:insz|niss)\b|belgian national/i,
  },
  { type: 'national_id_bg', length: 10, check: checkBulgaria, shapes: [], words: /\begn\b|егн|bulgarian/i },
  { type: 'national_id_br', length: 11, check: checkBrazil, shapes: ['3.3.3-2'], words: /\bcpf\b/i },
  {
    type: 'national_id_ca',
    length: 9,
    check: (digits) => /^[1-79]/.test(digits) && passesLuhn(digits),
    shapes: [],
    words: /\b(?:sin|nas)\b|social insurance|assurance sociale/i,
  },
  {
    type: 'national_id_ch',
    length: 13,
    check: (digits) =>
      digits.startsWith('756') && weighDigits(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
    shapes: ['3.4.4.2'],
    words: /\bahv\b|\bavs\b|\boasi\b|sozialversicherung|swiss/i,
  },
  {
    type: 'national_id_cz',
    length: 10,
    check: checkCzechia,
    shapes: ['6/4'],
    words: /rodn[ée] [čc][íi]slo|birth number/i,
  },
  {
    type: 'national_id_de',
    length: 11,
    check: checkGermany,
    shapes: ['2 3 3 3'],
    words: /steuer-?\s?(?:id|nummer|identifikation)|\bidnr\b|\btin\b|\btax id/i,
  },
  {
    type: 'national_id_ee',
    length: 11,
    check: checkEstonia,
    shapes: [],
    words: /isikukood|estonian/i,
  },
  {
    type: 'national_id_fr',
    length: 15,
    check: checkFrance,
    shapes: ['15', '13 2', '1 2 2 2 3 3 2', '1.2.2.2.3.3.2', '1-2-2-2-3-3-2'],
    words: /s[ée]curit[ée] sociale|\b(?:nir|insee)\b/i,
  },
  {
    type: 'national_id_gb',
    length: 10,
    check: (digits) => {
      const control = 11 - (weighDigits(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
      return control % 11 === last(digits) && !/^(.)\1+$/.test(digits);
    },
    shapes: [],
    words: /\bnhs\b|\bchi n/i,
  },
  {
    type: 'national_id_in',
    length: 12,
    check: (digits) => /^[2-9]/.test(digits) && passesVerhoeff(digits),
    shapes: ['4 4 4', '4-4-4'],
    words: /aadh?aar|\buid(?:ai)?\b|आधार/i,
  },
  {
    type: 'national_id_jp',
    length: 12,
    check: (digits) => complement11(weighDigits(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2])) === last(digits),
    shapes: [],
    words: /\bmy number\b|マイナンバー|個人番号/i,
  },
  { type: 'national_id_kr', length: 13, check: checkKorea, shapes: ['6-7'], words: /주민|resident registration/i },
  {
    type: 'national_id_nl',
    length: 9,
    check: (digits) => slice(digits, 0, 9) > 0 && weighDigits(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    shapes: [],
    words: /\bbsn\b|burgerservicen|sofi-?nummer/i,
  },
  {
    type: 'national_id_no',
    length: 11,
    check: checkNorway,
    shapes: ['11', '6 5', '6-5'],
    words: /f[øo]dselsn|personn|d-nummer/i,
  },
  { type: 'national_id_pl', length: 11, check: checkPoland, shapes: [], words: /pesel/i },
  {
    type: 'national_id_pt',
    length: 9,
    check: (digits) =>
      /^[1-3]/.test(digits) && complement11(weighDigits(digits, [9, 8, 7, 6, 5, 4, 3, 2])) === last(digits),
    shapes: [],
    words: /\bnif\b|contribuinte/i,
  },
  { type: 'national_id_ro', length: 13, check: checkRomania, shapes: [], words: /\bcnp\b|cod(?:ul)? numeric/i },
  ...[10, 12].map((length) => ({
    type: 'national_id_se' as const,
    length,
    check: checkSweden,
    shapes: ['6-4', '8-4'],
    words: /personn|samordningsn|swedish/i,
  })),
  { type: 'national_id_tr', length: 11, check: checkTurkey, shapes: [], words: /\btckn\b|kimlik|\bt\.?c\.? ?no/i },
  {
    type: 'national_id_za',
    length: 13,
    check: (digits) => isYearMonthDay(digits) && digitAt(digits, 10) < 2 && passesLuhn(digits),
    shapes: ['6 4 3', '6 4 2 1'],
    words: /\b(?:sa|rsa) id\b|south african|identity n|\bid n/i,
  },
  {
    type: 'national_id_dk',
    length: 10,
    // Since 2007 numbers are given out that fail the check of before, so the word has to do.
    check: (digits) => isCalendarDate(slice(digits, 4, 6), slice(digits, 2, 4), slice(digits, 0, 2)),
    shapes: [],
    words: /\bcpr\b|personnummer/i,
  },
];
