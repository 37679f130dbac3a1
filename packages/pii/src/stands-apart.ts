import { isDigit } from './characters.ts';
import type { DigitRun } from './digit-run.ts';

/** Hyphen, dot and slash. */
const isTie = (unit: number): boolean => unit >= 45 && unit <= 47;

/**
 * Whether no letter touches some groups of digits, and no hyphen, dot or slash ties them to further digits: then
 * they are a number of their own and not a part of a longer one.
 */
export function standsApart({ text, start, end, touchesBefore, touchesAfter }: DigitRun): boolean {
  return !(
    touchesBefore ||
    touchesAfter ||
    (isTie(text.charCodeAt(start - 1)) && isDigit(text.charCodeAt(start - 2))) ||
    (isTie(text.charCodeAt(end)) && isDigit(text.charCodeAt(end + 1)))
  );
}
