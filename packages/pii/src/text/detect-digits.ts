import type { Detector } from '../detector.ts';
import type { PiiType } from '../pii-types.ts';
import { isDigit } from './characters.ts';
import { type DigitRun, windowsOf } from './digit-run.ts';

/**
 * Makes a detector of numbers made of digit groups alone.
 *
 * @param bounds how many digits a number has, and at most how many groups
 * @param accepts whether some groups of digits are such a number
 */
export function detectDigits(
  type: PiiType,
  { min, max, maxGroups = max }: { min: number; max: number; maxGroups?: number },
  accepts: (window: DigitRun) => boolean,
): Detector {
  return {
    types: [type],
    find(text, report) {
      for (const run of text.digitRuns()) {
        const visit = (window: DigitRun): boolean => {
          if (!accepts(window)) return false;
          report(type, window.start, window.end);
          return true;
        };
        windowsOf(run, min, max, visit, maxGroups);
      }
    },
  };
}

/** Calls `visit` with the start and end of every unbroken row of ASCII digits, single ones too, from left to right. */
export function visitNumbers(text: string, visit: (start: number, end: number) => void): void {
  // Finds the next digit many times faster than a loop over the units.
  const digit = /\d/g;
  while (digit.test(text)) {
    const start = digit.lastIndex - 1;
    let end = start + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    visit(start, end);
    digit.lastIndex = end;
  }
}
