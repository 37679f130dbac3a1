import { isAsciiLetter, isDigit } from '../text/characters.ts';

/** The length of the shortest secret that is found by its form alone. */
const minLength = 20;

const wordUnits = Uint8Array.from({ length: 128 }, (_, unit) =>
  Number(isAsciiLetter(unit) || isDigit(unit) || '_-+/=.'.includes(String.fromCharCode(unit))),
);

/**
 * Calls `visit` with start and end of every stretch of at least 20 units of base64, base64url and the dots between their
 * parts, from left to right. Prose has few: only each twentieth unit is looked at, and those of the word around it.
 */
export function findLongWords(text: string, visit: (start: number, end: number) => void): void {
  let behind = 0;
  for (let probe = minLength - 1; probe < text.length; probe += minLength) {
    if (!wordUnits[text.charCodeAt(probe)]) continue;
    let start = probe;
    while (start > behind && wordUnits[text.charCodeAt(start - 1)]) start--;
    let end = probe + 1;
    while (wordUnits[text.charCodeAt(end)]) end++;
    if (end - start >= minLength) visit(start, end);
    behind = end;
    probe = end;
  }
}
