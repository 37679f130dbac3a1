import type { Detector, Report } from '../detector.ts';
import { type DigitRun, windowsOf } from '../text/digit-run.ts';
import { isInternational } from './calling-codes.ts';
import { belongsToMore, type PhoneCandidate, readPhoneCandidate } from './phone-candidate.ts';
import { isNationalLayout } from './phone-layouts.ts';
import { findPhoneNaming } from './phone-naming.ts';

/** As in `+33 1 23 45 67 89`, and one more for a country code behind `00`. */
const maxGroups = 7;

function isPhone(candidate: PhoneCandidate): boolean {
  const { digits, shape } = candidate;
  const naming = findPhoneNaming(candidate);
  // `(37) 788-063-Office`
  if (belongsToMore(candidate) && naming !== 'behind') return false;
  if (shape.startsWith('+')) return isInternational(digits) && digits.length + (shape.length > 3 ? 1 : 0) > 8;
  if (digits.startsWith('00') && isInternational(digits.slice(2)) && (naming || /\D/.test(shape))) return true;
  return isNationalLayout(candidate, naming);
}

/** Whether part of a run is a number of its own: with spaces, or a slash between two numbers, around it and none in it. */
function standsApart(run: DigitRun, window: DigitRun): boolean {
  const isFirst = window.start === run.start;
  const isLast = window.end === run.end;
  if (isFirst && isLast) return true;
  if (window.groupCount < 2 || /[ /]/.test(window.shape)) return false;
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
 * Finds telephone and fax numbers: international ones (`+` or `00` and a country code), those laid out as in North America or in
 * countries that dial a zero first, and any behind a word like `phone` or `fax`. People also write invented numbers, so no library of
 * numbering plans decides.
 */
export const phoneDetector: Detector = {
  types: ['phone'],
  find(text, report) {
    for (const run of text.digitRuns()) {
      windowsOf(run, 5, 17, (window) => reportPhone(run, window, report), maxGroups);
    }
  },
};
