import { hasWordNear } from '../text/characters.ts';
import { weighDigits } from '../text/check-digits.ts';
import { type DigitRun, standsApart } from '../text/digit-run.ts';
import { detectDigits } from './detect-digits.ts';

/** Numbers that were printed on sample cards and in advertisements, and belong to nobody. */
const samples = new Set(['078051120', '219099999', '457555462', '123456789', '987654321']);

const words = /\bssn\b|\bsocial[ -]security|\bsoc\.? sec/i;

/** Whether this number may have been given out: never area 000, 666 and 900 to 999, group 00, serial 0000. */
function isIssued(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$/.test(digits) && !samples.has(digits) && !/^(.)\1+$/.test(digits);
}

const isGrouped = ({ shape }: DigitRun): boolean => shape === '3-2-4' || shape === '3 2 4';

const isNamed = ({ text, start, end }: DigitRun): boolean => hasWordNear(text, start, end, words, 40, 24);

/** No check digit, so they need the grouping 3-2-4 or a word nearby. */
export const usSsnDetector = detectDigits(
  'us_ssn',
  { min: 9, max: 9 },
  (window) => standsApart(window) && isIssued(window.digits) && (isGrouped(window) || isNamed(window)),
);

const district = /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/;
const shapes = /^(?:9|4[ -]4[ -]1|3[ -]3[ -]3)$/;
const contextWords = /\b(?:routing|aba|rtn|transit|fedwire|ach)\b|routing_?(?:no|num)/i;

/** The checksum of the American Bankers Association. */
function passesAba(digits: string): boolean {
  const sum = weighDigits(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]);
  return sum > 0 && sum % 10 === 0;
}

/** One number in ten passes the checksum, so a word must be near. */
export const usBankRoutingDetector = detectDigits('us_bank_routing', { min: 9, max: 9, maxGroups: 3 }, (window) => {
  if (window.touchesBefore || window.touchesAfter || !shapes.test(window.shape)) return false;
  const { text, start, end, digits } = window;
  return district.test(digits) && passesAba(digits) && hasWordNear(text, start, end, contextWords, 48, 24);
});
