import type { JsonErrorCode } from './json-error.ts';

const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Keys and names are short: so many characters are looked at one by one before the closing quote is searched. */
const nearby = 16;

/** @returns the place after the closing quote of the string whose opening quote is before `start`; -1 where it has none */
function skipString(text: string, start: number): number {
  const until = Math.min(start + nearby, text.length);
  let at = start;
  while (at < until) {
    const unit = text.charCodeAt(at++);
    if (unit === quote) return at;
    if (unit === backslash) at += 1;
  }
  for (let end = text.indexOf('"', at); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    // An even number of backslashes, none for the most part, leaves the quote as it is.
    if ((end - before) % 2 === 1) return end + 1;
  }
  return -1;
}

/**
 * Checks the brackets and strings of a JSON text in one pass, with a stack of its own. Where it finds no fault, no parser can get
 * deeper than the bound, whatever else is wrong with the text.
 *
 * @param maxDepth objects and lists within each other
 */
export function findOutlineFault(text: string, maxDepth: number): JsonErrorCode | null {
  const open = new Uint8Array(maxDepth);
  let depth = 0;
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at++);
    if (unit === quote) {
      at = skipString(text, at);
      if (at < 0) return 'not_json';
    } else if (unit < openBracket) {
      // Numbers, commas and white space: most of what is no string.
    } else if (unit === openBrace || unit === openBracket) {
      if (depth === maxDepth) return 'too_deep';
      open[depth++] = unit;
    } else if (unit === closeBrace || unit === closeBracket) {
      // In ASCII a closing bracket comes two after its opening one.
      if (depth === 0 || open[--depth] !== unit - 2) return 'not_json';
    }
  }
  return depth === 0 ? null : 'not_json';
}
