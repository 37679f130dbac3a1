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
