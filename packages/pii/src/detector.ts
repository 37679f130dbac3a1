import type { DigitRun } from './digit-run.ts';
import type { PiiType } from './pii-types.ts';

/** Says that `type` stands at `start` to before `end` (UTF-16 units). May be called in any order, also for overlapping places. */
export type Report = (type: PiiType, start: number, end: number) => void;

/** A text with what the detectors share about it. */
export interface Text {
  readonly value: string;
  /** All digit runs, found in one pass when first asked for. */
  digitRuns(): readonly DigitRun[];
}

/**
 * Looks for some types of PII in a text. It is pure, never throws, and takes at most time linear in the text's length
 * on any text, hostile ones included. What is cheap and keeps that promise, the cheapest first:
 *
 * - `value.indexOf(anchor)` for a character or prefix that every finding has (`@`, `AKIA`, `-----BEGIN`), then a look at
 *   a bounded number of units around it. Nothing is looked at where there is no anchor. Go on behind what was looked
 *   at, or make sure that the look is short: `a@a@a@` must not become a look of 255 units for each second unit.
 * - `digitRuns()`: the pass is shared. Reject by `groupCount`, `start` and `end` before asking for `digits` or `shape`.
 *   `windowsOf` gives the parts of a run with so many digits.
 * - `hasWordNear` around a candidate. Look for candidates first and for context words after: never the other way round.
 * - a global or sticky RegExp that begins with something rare and literal. Only bounded quantifiers, none nested, and no two
 *   neighbours that match the same character. `\b(?:a|b|c)` and a leading `[A-Z]{2}` or `\d+` try every place of the text, about 5 ns
 *   a character each: the aim for all detectors together is 50 ns.
 */
export interface Detector {
  readonly types: readonly PiiType[];
  find(text: Text, report: Report): void;
}
