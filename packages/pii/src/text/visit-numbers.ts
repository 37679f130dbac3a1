import { isDigit } from './characters.ts';

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
