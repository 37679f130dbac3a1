export const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

export const isAsciiLetter = (unit: number): boolean => (unit | 32) >= 97 && (unit | 32) <= 122;

const asciiWordUnits = Uint8Array.from({ length: 128 }, (_, unit) => Number(/\w/.test(String.fromCharCode(unit))));

/**
 * ASCII letters, digits, underscore, and Latin, Greek and Cyrillic letters. Chinese and Japanese ones are not: people write numbers right
 * next to them. Nor is NaN, outside of a string.
 */
export function isWordUnit(unit: number): boolean {
  if (unit < 128) return asciiWordUnits[unit] === 1;
  return unit >= 0xc0 && unit <= 0x52f && unit !== 0xd7 && unit !== 0xf7;
}

/** Space, no-break and thin spaces, hyphens, en dash, dot and slash. */
export function isSeparator(unit: number): boolean {
  if (unit < 128) return unit === 32 || (unit >= 45 && unit <= 47);
  return unit === 0xa0 || unit === 0x202f || unit === 0x2009 || (unit >= 0x2010 && unit <= 0x2013);
}

/** Hyphen, dot or slash. */
export const isTie = (unit: number): boolean => unit >= 45 && unit <= 47;

/** It ends at the RegExp's `lastIndex`. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** @param words without the flags g and y; the slice may begin and end within a word, so put `\b` at its ends */
export function hasWordNear(
  text: string,
  start: number,
  end: number,
  words: RegExp,
  before: number,
  after: number,
): boolean {
  return (
    (before > 0 && words.test(text.slice(Math.max(0, start - before), start))) ||
    (after > 0 && words.test(text.slice(end, end + after)))
  );
}
