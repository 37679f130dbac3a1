import type { PiiType } from './pii-types.ts';
import { type DigitRun, findDigitRuns } from './text/digit-run.ts';

/** In UTF-16 units, to before `end`. Order does not matter, and findings may overlap. */
export type Report = (type: PiiType, start: number, end: number) => void;

export interface PiiMatch {
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
 *   `visitWindows` gives the parts of a run with so many digits.
 * - `hasWordNear` around a candidate. Look for candidates first and for context words after, never the other way round.
 * - a global or sticky RegExp that begins with something rare and literal. Only bounded quantifiers, none nested, and no two
 *   neighbours that match the same character. `\b(?:a|b|c)` and a leading `[A-Z]{2}` or `\d+` try every place of the text, about 5 ns
 *   a character each: the aim for all detectors together is 50 ns.
 */
export interface Detector {
  readonly types: readonly PiiType[];
  /** What each of its findings has, so that a text without it need not be searched. Without the flags g and y. */
  readonly needs?: RegExp;
  find(text: Text, report: Report): void;
}

class SearchedText implements Text {
  readonly value: string;
  #runs: DigitRun[] | undefined;

  constructor(value: string) {
    this.value = value;
  }

  digitRuns(): readonly DigitRun[] {
    this.#runs ??= findDigitRuns(this.value);
    return this.#runs;
  }
}

export function runDetectors(detectors: readonly Detector[], value: string): PiiMatch[] {
  const findings: PiiMatch[] = [];
  const report: Report = (type, start, end) => findings.push({ type, start, end });
  let text: Text | null = null;
  for (const detector of detectors) {
    if (detector.needs?.test(value) === false) continue;
    text ??= new SearchedText(value);
    detector.find(text, report);
  }
  return findings;
}
