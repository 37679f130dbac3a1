import type { Detector } from '../detector.ts';
import { type DigitRun, windowsOf } from '../digit-run.ts';
import { hasWordNear } from '../has-word-near.ts';
import { standsApart } from '../stands-apart.ts';

/** Numbers that were printed on sample cards and in advertisements, and belong to nobody. */
const samples = new Set(['078051120', '219099999', '457555462', '123456789', '987654321']);

const words = /\bssn\b|\bsocial[ -]security|\bsoc\.? sec/i;

/**
 * US social security numbers. They have no check digit, so it is the grouping 3-2-4 that tells them, or a word nearby, and what
 * the Social Security Administration never gives out: area 000, 666 and 900 to 999, group 00, serial 0000.
 */
export const usSsnDetector: Detector = {
  types: ['us_ssn'],
  find(text, report) {
    for (const run of text.digitRuns()) {
      windowsOf(run, 9, 9, (window) => {
        const found = isSsn(window) && (isGrouped(window) || isNamed(window));
        if (found) report('us_ssn', window.start, window.end);
        return found;
      });
    }
  },
};

function isSsn(window: DigitRun): boolean {
  if (!standsApart(window)) return false;
  const { digits } = window;
  return /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$/.test(digits) && !samples.has(digits) && !/^(.)\1+$/.test(digits);
}

const isGrouped = ({ shape }: DigitRun): boolean => shape === '3-2-4' || shape === '3 2 4';

const isNamed = ({ text, start, end }: DigitRun): boolean => hasWordNear(text, start, end, words, 40, 24);
