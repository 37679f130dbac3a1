import { isDigit, isSeparator, isWordUnit } from './characters.ts';

/**
 * Groups of at least four ASCII digits together, with exactly one separator (see `isSeparator`) between two groups: all that stand
 * together in the text, or some neighbouring ones of them ({@link windowsOf}).
 */
export class DigitRun {
  readonly text: string;
  /** Start and end of each group by turns; groups of the run are those from `first` to before `last`. */
  readonly #bounds: readonly number[];
  readonly #first: number;
  readonly #last: number;

  constructor(text: string, bounds: readonly number[], first: number, last: number) {
    this.text = text;
    this.#bounds = bounds;
    this.#first = first;
    this.#last = last;
  }

  /** Offset of the first digit. */
  get start(): number {
    return this.#bounds[2 * this.#first] as number;
  }

  /** Offset after the last digit. */
  get end(): number {
    return this.#bounds[2 * this.#last - 1] as number;
  }

  get groupCount(): number {
    return this.#last - this.#first;
  }

  /** Offset of the first digit of a group of this run, counted from 0. */
  groupStart(index: number): number {
    return this.#bounds[2 * (this.#first + index)] as number;
  }

  /** Offset after the last digit of a group of this run, counted from 0. */
  groupEnd(index: number): number {
    return this.#bounds[2 * (this.#first + index) + 1] as number;
  }

  /** The digits without separators. Costs as much as the run is long: look at the lengths first. */
  get digits(): string {
    let digits = '';
    for (let group = 0; group < this.groupCount; group++) {
      digits += this.text.slice(this.groupStart(group), this.groupEnd(group));
    }
    return digits;
  }

  /** The lengths of the groups with the separators between them, such as `3-2-4`; every space and dash as ` ` and `-`. */
  get shape(): string {
    let shape = '';
    for (let group = 0; group < this.groupCount; group++) {
      if (group > 0) shape += plainSeparator(this.text.charCodeAt(this.groupStart(group) - 1));
      shape += this.groupEnd(group) - this.groupStart(group);
    }
    return shape;
  }

  /** Whether a letter, digit or underscore stands directly before: then this is part of a longer word. */
  get touchesBefore(): boolean {
    return isWordUnit(this.text.charCodeAt(this.start - 1));
  }

  /** Whether a letter, digit or underscore stands directly behind. */
  get touchesAfter(): boolean {
    return isWordUnit(this.text.charCodeAt(this.end));
  }

  /** Some of the groups of this run, as a run. */
  slice(first: number, last: number): DigitRun {
    return new DigitRun(this.text, this.#bounds, this.#first + first, this.#first + last);
  }
}

function plainSeparator(unit: number): string {
  if (unit < 128) return String.fromCharCode(unit);
  return unit >= 0x2010 && unit <= 0x2013 ? '-' : ' ';
}

/** Finds all digit runs of a text, from left to right, in one pass. Runs do not overlap. */
export function findDigitRuns(text: string): DigitRun[] {
  const runs: DigitRun[] = [];
  // Finds where a run begins, many times faster than a loop over the units does.
  const opening = /\d(?:[ ./\u00a0\u2009\u202f\u2010-\u2013-]?\d){3}/g;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const bounds: number[] = [];
    let at = match.index;
    do {
      bounds.push(at);
      while (isDigit(text.charCodeAt(at))) at++;
      bounds.push(at);
    } while (isSeparator(text.charCodeAt(at)) && isDigit(text.charCodeAt(at + 1)) && ++at);
    runs.push(new DigitRun(text, bounds, 0, bounds.length / 2));
    opening.lastIndex = at;
  }
  return runs;
}

/**
 * Gives `visit` every row of neighbouring groups that has `min` to `max` digits together, so that a card number is found with
 * its expiry date right behind it. Longer rows come first from each start. At most `maxGroups` rows are given
 * for a group, which keeps a detector linear whatever the text is.
 *
 * @param visit returns true where the row was what it looked for: the next row then starts behind it
 * @param maxGroups how many groups a row has at most
 */
export function windowsOf(
  run: DigitRun,
  min: number,
  max: number,
  visit: (window: DigitRun) => boolean,
  maxGroups = max,
): void {
  const count = run.groupCount;
  for (let first = 0; first < count; first++) {
    const latest = Math.min(count, first + maxGroups);
    let last = first;
    let digits = 0;
    for (; last < latest; last++) {
      const length = run.groupEnd(last) - run.groupStart(last);
      if (digits + length > max) break;
      digits += length;
    }
    for (; digits >= min; last--) {
      if (visit(run.slice(first, last))) {
        first = last - 1;
        break;
      }
      digits -= run.groupEnd(last - 1) - run.groupStart(last - 1);
    }
  }
}
