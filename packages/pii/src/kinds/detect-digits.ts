import type { Detector } from '../detector.ts';
import type { PiiType } from '../pii-types.ts';
import { type DigitRun, hasDigitRun } from '../text/digit-run.ts';

/** @param bounds how many digits a number has, and at most how many groups */
export function detectDigits(
  type: PiiType,
  { min, max, maxGroups = max }: { min: number; max: number; maxGroups?: number },
  accepts: (window: DigitRun) => boolean,
): Detector {
  return {
    types: [type],
    needs: hasDigitRun,
    find(text, report) {
      for (const run of text.digitRuns()) {
        const visit = (window: DigitRun): boolean => {
          if (!accepts(window)) return false;
          report(type, window.start, window.end);
          return true;
        };
        run.visitWindows(min, max, visit, maxGroups);
      }
    },
  };
}

/** Single digits too, from left to right. */
export function visitNumbers(text: string, visit: (start: number, end: number) => void): void {
  const digits = /\d+/g;
  for (let match = digits.exec(text); match; match = digits.exec(text)) visit(match.index, digits.lastIndex);
}
