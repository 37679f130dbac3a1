import type { PiiType } from './pii-types.ts';
import { type DigitRun, findDigitRuns } from './text/digit-run.ts';

/** In UTF-16 units, to before `end`. Order does not matter, and findings may overlap. */
export type Report = (type: PiiType, start: number, end: number) => void;

export interface PiiFinding {
  type: PiiType;
  start: number;
  end: number;
}

export interface Text {
  readonly value: string;
  /** All digit runs, found in one pass when first asked for. */
  digitRuns(): readonly DigitRun[];
}

/**
 * Looks for some types of PII in a text. It is pure, never throws, and takes at most time linear in the text's length
 * on any text, hostile ones included. Cheap ways to keep that promise, the cheapest first:
 *
 * - `value.indexOf(anchor)` for a character or prefix that every finding has (`@`, `AKIA`, `-----BEGIN`), then a look at
 *   a bounded number of units around it. Continue behind the units already looked at, or keep the look short: `a@a@a@` must
 *   not become a look of 255 units for each second unit.
 * - `digitRuns()`: the pass is shared. Reject by `groupCount`, `start` and `end` before asking for `digits` or `shape`.
 *   `windowsOf` gives the parts of a run with so many digits.
 * - `hasWordNear` around a candidate. Look for candidates first and for context words after, never the other way round.
 * - a global or sticky RegExp that begins with something rare and literal. Only bounded quantifiers, none nested, and no two
 *   neighbours that match the same character. `\b(?:a|b|c)` and a leading `[A-Z]{2}` or `\d+` try every place of the text, about 5 ns
 *   a character each: the aim for all detectors together is 50 ns.
 */
export interface Detector {
  readonly types: readonly PiiType[];
  find(text: Text, report: Report): void;
}

export function runDetectors(detectors: readonly Detector[], value: string): PiiFinding[] {
  let runs: DigitRun[] | undefined;
  const text: Text = {
    value,
    digitRuns: () => {
      runs ??= findDigitRuns(value);
      return runs;
    },
  };
  const findings: PiiFinding[] = [];
  for (const detector of detectors) {
    detector.find(text, (type, start, end) => findings.push({ type, start, end }));
  }
  return findings;
}
