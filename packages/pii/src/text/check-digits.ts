/** NaN behind the end. The loops over all digits of a number do without this call. */
export const digitAt = (digits: string, index: number): number => digits.charCodeAt(index) - 48;

export function weighDigits(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < weights.length; index++)
    sum += (digits.charCodeAt(index) - 48) * (weights[index] as number);
  return sum;
}

/** Whether the last digit is right by the method of ISO/IEC 7812 (Luhn); what is no digit between `start` and `end` is passed over. */
export function passesLuhn(text: string, start = 0, end = text.length): boolean {
  let sum = 0;
  let isDoubled = false;
  for (let at = end - 1; at >= start; at--) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) continue;
    sum += !isDoubled ? digit : digit < 5 ? 2 * digit : 2 * digit - 9;
    isDoubled = !isDoubled;
  }
  return sum % 10 === 0;
}

/** Whether the last digit is right by ISO/IEC 7064, MOD 11,10. */
export function passesMod1110(digits: string): boolean {
  let product = 10;
  for (let index = 0; index < digits.length - 1; index++) {
    const sum = (digits.charCodeAt(index) - 48 + product) % 10 || 10;
    product = (2 * sum) % 11;
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}

/** The multiplication table of the dihedral group D5, by which Verhoeff's method adds digits. */
const dihedral = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
  [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
  [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
  [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
  [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
  [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
  [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
  [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
] as const;

/** Applied to each digit as many times as its place from the right, modulo 8. */
const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4] as const;

/** Whether the last digit is right by Verhoeff's method. */
export function passesVerhoeff(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    let digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    for (let times = place % 8; times > 0; times--) digit = permutation[digit] as number;
    sum = dihedral[sum]?.[digit] as number;
  }
  return sum === 0;
}

const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a day exists. Years below 100 may be of the 20th or the 21st century. */
export function isCalendarDate(year: number, month: number, day: number): boolean {
  if (!(day >= 1 && day <= (daysOfMonths[month - 1] ?? 0))) return false;
  if (month !== 2 || day < 29) return true;
  return year % 4 === 0 && (year < 100 || year % 100 !== 0 || year % 400 === 0);
}

export function isYearMonthDay(digits: string): boolean {
  return isCalendarDate(Number(digits.slice(0, 2)), Number(digits.slice(2, 4)), Number(digits.slice(4, 6)));
}
