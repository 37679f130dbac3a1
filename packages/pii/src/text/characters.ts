/** Whether a UTF-16 unit is one of 0-9. */
export const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

/** Whether a UTF-16 unit is one of A-Z and a-z. */
export const isAsciiLetter = (unit: number): boolean => (unit | 32) >= 97 && (unit | 32) <= 122;

/**
 * Whether a UTF-16 unit is part of a word, so that no number or name begins or ends next to it: ASCII
 * letters, digits and underscore, and the letters of alphabets that put spaces between words (Latin, Greek,
 * Cyrillic). Chinese and Japanese letters are not, since people write numbers right next to them.
 * Nor is NaN, which `charCodeAt` gives outside of a string.
 */
export function isWordUnit(unit: number): boolean {
  if (unit < 128) return isDigit(unit) || isAsciiLetter(unit) || unit === 95;
  return unit >= 0xc0 && unit <= 0x52f && unit !== 0xd7 && unit !== 0xf7;
}

/**
 * Whether a UTF-16 unit may separate the groups of one number: space, no-break spaces, thin space,
 * hyphens, en dash, dot and slash.
 */
export function isSeparator(unit: number): boolean {
  if (unit < 128) return unit === 32 || (unit >= 45 && unit <= 47);
  return unit === 0xa0 || unit === 0x202f || unit === 0x2009 || (unit >= 0x2010 && unit <= 0x2013);
}

/** The match of a sticky RegExp at an offset, or null. The match ends at the RegExp's `lastIndex`. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * Whether a pattern occurs within some units before or after a candidate.
 *
 * @param words a RegExp without the flags g and y. The slice that it sees may begin and end within a word, so put `\b` at its ends
 * @param before how many units to look at before `start`
 * @param after how many units to look at from `end` on
 */
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
