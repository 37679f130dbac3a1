import { isDigit, isSeparator, isWordUnit } from './characters.ts';

/**
 * Groups of ASCII digits, at least four digits in all, with exactly one separator (see `isSeparator`) between two groups: a whole
 * run of the text, or some neighbouring groups of it ({@link windowsOf}).
 */
export class DigitRun {
  readonly text: string;
  /** Start and end of each group in turn. This run has the groups from `first` to before `last`. */
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

  /** The digits without separators. Costs time proportional to the run's length: check the lengths first. */
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

  /** True if a letter, digit or underscore precedes it directly, so that it is part of a longer word. */
  get touchesBefore(): boolean {
    return isWordUnit(this.text.charCodeAt(this.start - 1));
  }

  /** True if a letter, digit or underscore follows it directly. */
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

/** Hyphen, dot and slash. */
const isTie = (unit: number): boolean => unit >= 45 && unit <= 47;

/**
 * True if no letter touches these groups of digits, and no hyphen, dot or slash joins them to further digits: they are then a
 * number of their own.
 */
export function standsApart({ text, start, end, touchesBefore, touchesAfter }: DigitRun): boolean {
  return !(
    touchesBefore ||
    touchesAfter ||
    (isTie(text.charCodeAt(start - 1)) && isDigit(text.charCodeAt(start - 2))) ||
    (isTie(text.charCodeAt(end)) && isDigit(text.charCodeAt(end + 1)))
  );
}

/** Finds all digit runs of a text, from left to right, in one pass. Runs do not overlap. */
export function findDigitRuns(text: string): DigitRun[] {
  const runs: DigitRun[] = [];
  // Finds the start of a run many times faster than a loop over the units.
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
 * Calls `visit` with every row of neighbouring groups that has `min` to `max` digits in all, so that a card number is found with
 * its expiry date right behind it. From each start the longer rows come first. At most `maxGroups` rows begin with one group,
 * which keeps a detector linear on any text.
 *
 * @param visit returns true if it accepts the row: the next row then starts behind it
 * @param maxGroups the most groups of a row
 */
export function windowsOf(
  run: DigitRun,
  min: number,
  max: number,
  visit: (window: DigitRun) => boolean,
  maxGroups = max,
): void {
  if (run.end - run.start < min) return;
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
