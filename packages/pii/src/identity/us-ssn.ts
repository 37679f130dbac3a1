import { detectDigits } from '../text/detect-digits.ts';
import { type DigitRun, standsApart } from '../text/digit-run.ts';
import { hasWordNear } from '../text/has-word-near.ts';

/** Numbers that were printed on sample cards and in advertisements, and belong to nobody. */
const samples = new Set(['078051120', '219099999', '457555462', '123456789', '987654321']);

const words = /\bssn\b|\bsocial[ -]security|\bsoc\.? sec/i;

/** Whether this number may have been given out: never area 000, 666 and 900 to 999, group 00, serial 0000. */
function isIssued(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$/.test(digits) && !samples.has(digits) && !/^(.)\1+$/.test(digits);
}

const isGrouped = ({ shape }: DigitRun): boolean => shape === '3-2-4' || shape === '3 2 4';

const isNamed = ({ text, start, end }: DigitRun): boolean => hasWordNear(text, start, end, words, 40, 24);

/** Finds US social security numbers. They have no check digit, so they need the grouping 3-2-4 or a word nearby. */
export const usSsnDetector = detectDigits(
  'us_ssn',
  { min: 9, max: 9 },
  (window) => standsApart(window) && isIssued(window.digits) && (isGrouped(window) || isNamed(window)),
);
