import { isDigit, isSeparator, isTie, isWordUnit } from './characters.ts';

/** Groups of at least four ASCII digits in all, with exactly one separator between two groups. */
export class DigitRun {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly groupCount: number;
  /** Start and end of each group in turn; this run has those from `first` to before `last`. */
  readonly #bounds: readonly number[];
  readonly #first: number;
  readonly #last: number;

  constructor(text: string, bounds: readonly number[], first: number, last: number) {
    this.text = text;
    this.#bounds = bounds;
    this.#first = first;
    this.#last = last;
    this.start = bounds[2 * first] as number;
    this.end = bounds[2 * last - 1] as number;
    this.groupCount = last - first;
  }

  groupStart(index: number): number {
    return this.#bounds[2 * (this.#first + index)] as number;
  }

  groupEnd(index: number): number {
    return this.#bounds[2 * (this.#first + index) + 1] as number;
  }

  /** Costs time in proportion to the run's length: check the lengths first. */
  get digits(): string {
    if (this.groupCount === 1) return this.text.slice(this.start, this.end);
    let digits = '';
    for (let group = 0; group < this.groupCount; group++) {
      digits += this.text.slice(this.groupStart(group), this.groupEnd(group));
    }
    return digits;
  }

  /** Such as `3-2-4`; every space and dash as ` ` and `-`. */
  get shape(): string {
    if (this.groupCount === 1) return String(this.end - this.start);
    let shape = '';
    for (let group = 0; group < this.groupCount; group++) {
      if (group > 0) shape += plainSeparator(this.text.charCodeAt(this.groupStart(group) - 1));
      shape += this.groupEnd(group) - this.groupStart(group);
    }
    return shape;
  }

  /** Whether a space or a slash stands between two groups. */
  get isSpaced(): boolean {
    for (let group = 1; group < this.groupCount; group++) {
      const separator = plainSeparator(this.text.charCodeAt(this.groupStart(group) - 1));
      if (separator === ' ' || separator === '/') return true;
    }
    return false;
  }

  /** A letter, digit or underscore before it makes it part of a longer word. */
  get touchesBefore(): boolean {
    return isWordUnit(this.text.charCodeAt(this.start - 1));
  }

  get touchesAfter(): boolean {
    return isWordUnit(this.text.charCodeAt(this.end));
  }

  /**
   * Visits neighbouring groups of `min` to `max` digits in all, longer rows first: a card is found before its expiry date. `visit`
   * returns true to accept a row. At most `maxGroups` rows begin with one group, which keeps a detector linear.
   */
  visitWindows(min: number, max: number, visit: (window: DigitRun) => boolean, maxGroups = max): void {
    const bounds = this.#bounds;
    const [from, until] = [this.#first, this.#last];
    if (this.end - this.start < min) return;
    for (let first = from; first < until; first++) {
      const latest = Math.min(until, first + maxGroups);
      let last = first;
      let digits = 0;
      for (; last < latest; last++) {
        const length = (bounds[2 * last + 1] as number) - (bounds[2 * last] as number);
        if (digits + length > max) break;
        digits += length;
      }
      for (; digits >= min; last--) {
        const isAll = first === from && last === until;
        if (visit(isAll ? this : new DigitRun(this.text, bounds, first, last))) {
          first = last - 1;
          break;
        }
        digits -= (bounds[2 * last - 1] as number) - (bounds[2 * last - 2] as number);
      }
    }
  }
}

function plainSeparator(unit: number): string {
  if (unit < 128) return String.fromCharCode(unit);
  return unit >= 0x2010 && unit <= 0x2013 ? '-' : ' ';
}

/** No letter touches these groups, and no hyphen, dot or slash joins them to further digits. */
export function standsApart({ text, start, end, touchesBefore, touchesAfter }: DigitRun): boolean {
  return !(
    touchesBefore ||
    touchesAfter ||
    (isTie(text.charCodeAt(start - 1)) && isDigit(text.charCodeAt(start - 2))) ||
    (isTie(text.charCodeAt(end)) && isDigit(text.charCodeAt(end + 1)))
  );
}

/** Whether a text has a {@link DigitRun}. */
export const hasDigitRun = /\d(?:[ ./\u00a0\u2009\u202f\u2010-\u2013-]?\d){3}/;

const digits = /\d+/y;

/** In one pass, from left to right; runs do not overlap. */
export function findDigitRuns(text: string): DigitRun[] {
  const runs: DigitRun[] = [];
  // Finds the start of a run many times faster than a loop over the units.
  const opening = /\d(?:[ ./\u00a0\u2009\u202f\u2010-\u2013-]?\d){3}/g;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const bounds: number[] = [];
    let at = match.index;
    do {
      digits.lastIndex = at;
      digits.test(text);
      bounds.push(at, digits.lastIndex);
      at = digits.lastIndex;
    } while (isSeparator(text.charCodeAt(at)) && isDigit(text.charCodeAt(at + 1)) && ++at);
    runs.push(new DigitRun(text, bounds, 0, bounds.length / 2));
    opening.lastIndex = at;
  }
  return runs;
}
