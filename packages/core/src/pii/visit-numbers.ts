import { isDigit } from './characters.ts';

/** Gives `visit` the start and end of every unbroken row of ASCII digits, single ones too, from left to right. */
export function visitNumbers(text: string, visit: (start: number, end: number) => void): void {
  for (let at = 0; at < text.length; at++) {
    if (!isDigit(text.charCodeAt(at))) continue;
    const start = at;
    while (isDigit(text.charCodeAt(++at)));
    visit(start, at);
  }
}
