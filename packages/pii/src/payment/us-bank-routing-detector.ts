import type { Detector } from '../detector.ts';
import { type DigitRun, windowsOf } from '../digit-run.ts';
import { hasWordNear } from '../has-word-near.ts';

/** The districts that numbers are given out for. */
const district = /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/;
const shapes = /^(?:9|4[ -]4[ -]1|3[ -]3[ -]3)$/;
const contextWords = /\b(?:routing|aba|rtn|transit|fedwire|ach)\b|routing_?(?:no|num)/i;

/** The sum with weights 3, 7 and 1 must be a multiple of ten (American Bankers Association). */
function passesAba(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < 9; index++) sum += (digits.charCodeAt(index) - 48) * ([3, 7, 1][index % 3] as number);
  return sum > 0 && sum % 10 === 0;
}

/** US routing numbers. One in ten numbers of nine digits passes the checksum, so that a word nearby must say what it is. */
export const usBankRoutingDetector: Detector = {
  types: ['us_bank_routing'],
  find(text, report) {
    for (const run of text.digitRuns()) {
      if (run.end - run.start < 9) continue;
      const visit = (window: DigitRun): boolean => {
        if (window.touchesBefore || window.touchesAfter || !shapes.test(window.shape)) return false;
        const digits = window.digits;
        if (!district.test(digits) || !passesAba(digits)) return false;
        if (!hasWordNear(text.value, window.start, window.end, contextWords, 48, 24)) return false;
        report('us_bank_routing', window.start, window.end);
        return true;
      };
      windowsOf(run, 9, 9, visit, 3);
    }
  },
};
