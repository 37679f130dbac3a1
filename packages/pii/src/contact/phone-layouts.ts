import type { PhoneCandidate } from './phone-candidate.ts';
import type { PhoneNaming } from './phone-naming.ts';

const northAmerican = /^(?:1[ .-]?)?(?:\(3\)[ .-]?3[ .-]?4|3-3-4|3\.3\.4|3 3[ -]4)$/;
/** Numbers with hyphens and parentheses may be invented ones; dots and spaces occur in much else, so the exchange must exist. */
const anyExchange = /^1?[1-9]\d{9}$/;
const realExchange = /^1?[2-9]\d\d[2-9]\d{6}$/;

/** Numbers that are dialled with a zero first, such as in Europe, Japan and Australia. */
const trunkZero =
  /^(?:[2-6](?: [2-8]){1,4}|[2-6](?:-[2-8]){1,4}|[2-5]-[2-4](?: [2-4]){1,3}|2(?:\.2){4}|[3-6]\/[2-8](?: [2-4]){0,3}|\([2-6]\)[ -]?[2-8](?:[ -][2-8]){0,3})$/;

/** An area in parentheses before two groups. */
const areaFirst = /^\([23]\)[ -]?[3-5][ -][3-5]$/;
const russian = /^1 ?\(3\) ?3[ -]2[ -]2$/;
const chineseMobile = /^3([ -])4\1[4]$/;

/** Dates, years and social security numbers. */
const otherThings = /^(?:4([ ./-])[12]\1[12]|[12]([ ./-])[12]\2[24]|3-2-4)$/;
/** The layouts of a phone number behind a word for one. */
const grouped =
  /^(?:[1-8](?:[ -][1-8]){1,5}|[2-5](?:[./][2-8]){1,4}|(?:\d[ -]?)?\([1-5]\)[ -]?[1-8](?:[ -][1-8]){0,4})$/;
const single = /^\d\d?$/;

/** Whether a candidate without a country code is laid out as in some country, or as any number if a word names it. */
export function isNationalLayout({ digits, shape }: PhoneCandidate, naming: PhoneNaming): boolean {
  if (northAmerican.test(shape) && shape.startsWith('1') === (digits.length === 11 && digits.startsWith('1'))) {
    if ((/[-(]/.test(shape) ? anyExchange : realExchange).test(digits)) return true;
  }
  // A house number and a postal code, `03262 2437`, have nine digits, too.
  const least = /^\d \d$/.test(shape) ? 10 : 9;
  const isTrunk = /^0[1-9]/.test(digits) && digits.length >= least && digits.length <= 11;
  if (isTrunk && trunkZero.test(shape) && !otherThings.test(shape)) return true;
  if (areaFirst.test(shape) && digits.length >= 8) return true;
  if (chineseMobile.test(shape) && /^1[3-9]/.test(digits)) return true;
  if (russian.test(shape) && digits.startsWith('8')) return true;
  return naming !== null && isNamedLayout(digits, shape, naming);
}

function isNamedLayout(digits: string, shape: string, naming: PhoneNaming): boolean {
  if (digits.length < 7 || digits.length > 15) return false;
  if (single.test(shape)) return naming === 'named' || (naming === 'behind' && digits.length >= 9);
  // 9472 7916 is a number if it is called one, 2019-2020 are years.
  if (shape === '4 4' || shape === '4-4') return !/^(?:19|20)\d\d(?:19|20)\d\d$/.test(digits);
  return grouped.test(shape) && !otherThings.test(shape);
}
