import type { Detector, Report } from '../detector.ts';
import { type DigitRun, hasDigitRun } from '../text/digit-run.ts';
import { belongsToMore, type PhoneCandidate, readPhoneCandidate } from './phone-candidate.ts';
import { findPhoneNaming, type PhoneNaming } from './phone-naming.ts';

/** ITU E.164. */
const callingCode =
  /^(?:1|7|2(?:0|7|1[12368]|[23]\d|4\d|5[0-8]|6\d|9[01789])|3(?:[0-469]|5\d|7[0-8]|8[0-35-7])|4(?:[013-9]|2[013])|5(?:[1-8]|0\d|9\d)|6(?:[0-6]|7[02-9]|8[0-35-9]|9[0-2])|8(?:[1246]|0[08]|5[02356]|7[08]|8[0-368])|9(?:[0-58]|6[0-8]|7[0-7]|9[2-68]))/;

/** North American and Russian numbers have a fixed length, which excludes most sums and ids that follow a plus. */
function isInternational(digits: string): boolean {
  if (digits.length < 8 || digits.length > 15 || !callingCode.test(digits)) return false;
  return (digits[0] !== '1' && digits[0] !== '7') || digits.length === 11;
}

const northAmerican = /^(?:1[ .-]?)?(?:\(3\)[ .-]?3[ .-]?4|3-3-4|3\.3\.4|3 3[ -]4)$/;
/** Numbers with hyphens and parentheses may be invented ones; dots and spaces occur in much else, so the exchange must exist. */
const anyExchange = /^1?[1-9]\d{9}$/;
const realExchange = /^1?[2-9]\d\d[2-9]\d{6}$/;

/** Numbers that are dialled with a zero first, such as in Europe, Japan and Australia. */
const writtenTrunkZero =
  /^(?:[2-6](?: [2-8]){1,4}|[2-6](?:-[2-8]){1,4}|[2-5]-[2-4](?: [2-4]){1,3}|2(?:\.2){4}|[3-6]\/[2-8](?: [2-4]){0,3}|\([2-6]\)[ -]?[2-8](?:[ -][2-8]){0,3})$/;

const areaFirst = /^\([23]\)[ -]?[3-5][ -][3-5]$/;
const russian = /^1 ?\(3\) ?3[ -]2[ -]2$/;
const chineseMobile = /^3([ -])4\1[4]$/;

const otherThings = /^(?:4([ ./-])[12]\1[12]|[12]([ ./-])[12]\2[24]|3-2-4)$/;
const grouped =
  /^(?:[1-8](?:[ -][1-8]){1,5}|[2-5](?:[./][2-8]){1,4}|(?:\d[ -]?)?\([1-5]\)[ -]?[1-8](?:[ -][1-8]){0,4})$/;
const single = /^\d\d?$/;

function isNationalLayout({ digits, shape }: PhoneCandidate, naming: PhoneNaming): boolean {
  if (northAmerican.test(shape) && shape.startsWith('1') === (digits.length === 11 && digits.startsWith('1'))) {
    if ((/[-(]/.test(shape) ? anyExchange : realExchange).test(digits)) return true;
  }
  // A house number and a postal code, `03262 2437`, have nine digits, too.
  const least = /^\d \d$/.test(shape) ? 10 : 9;
  const isTrunk = /^0[1-9]/.test(digits) && digits.length >= least && digits.length <= 11;
  if (isTrunk && writtenTrunkZero.test(shape) && !otherThings.test(shape)) return true;
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

const maxGroups = 7;

function isPhone(candidate: PhoneCandidate): boolean {
  const { digits, shape } = candidate;
  const naming = findPhoneNaming(candidate);
  // `(37) 788-063-Office`
  if (belongsToMore(candidate) && naming !== 'behind') return false;
  // `+49 30 901820 5 items`
  if (shape.startsWith('+') && shape.endsWith(' 1')) return false;
  if (shape.startsWith('+')) return isInternational(digits) && digits.length + (shape.length > 3 ? 1 : 0) > 8;
  // `0.023958297` is a fraction.
  if (
    digits.startsWith('00') &&
    !shape.startsWith('1.') &&
    isInternational(digits.slice(2)) &&
    (naming || /\D/.test(shape))
  )
    return true;
  return isNationalLayout(candidate, naming);
}

function standsApart(run: DigitRun, window: DigitRun): boolean {
  const isFirst = window.start === run.start;
  const isLast = window.end === run.end;
  if (isFirst && isLast) return true;
  // What follows a space may be a date, a time or an amount.
  if (isFirst && run.text.charAt(window.start - 1) === '+' && /\s/.test(run.text.charAt(window.end))) return true;
  if (window.groupCount < 2 || window.isSpaced) return false;
  return (
    (isFirst || /[\s/]/.test(run.text.charAt(window.start - 1))) &&
    (isLast || /[\s/]/.test(run.text.charAt(window.end)))
  );
}

function reportPhone(run: DigitRun, window: DigitRun, report: Report): boolean {
  if (!standsApart(run, window)) return false;
  const candidate = readPhoneCandidate(window);
  if (candidate.digits.length < 7 || !isPhone(candidate)) return false;
  report('phone', candidate.start, candidate.end);
  return true;
}

/**
 * International numbers, those of North America and of countries that dial a zero first, and any behind a word like `phone`. People write
 * invented numbers, so no library of numbering plans decides.
 */
export const phoneDetector: Detector = {
  types: ['phone'],
  needs: hasDigitRun,
  find(text, report) {
    for (const run of text.digitRuns()) {
      run.visitWindows(5, 17, (window) => reportPhone(run, window, report), maxGroups);
    }
  },
};
