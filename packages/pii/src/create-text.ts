import type { Text } from './detector.ts';
import { type DigitRun, findDigitRuns } from './digit-run.ts';

/** Makes what detectors read of a string. */
export function createText(value: string): Text {
  let runs: DigitRun[] | undefined;
  return {
    value,
    digitRuns: () => {
      runs ??= findDigitRuns(value);
      return runs;
    },
  };
}
