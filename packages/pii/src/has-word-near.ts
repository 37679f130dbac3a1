/**
 * Whether a pattern occurs within some units before or after a candidate.
 *
 * @param words a RegExp without the flags g and y, with `i` where case does not matter. It sees a slice that may begin and
 *   end within a word; `\b` at its ends is therefore worth having.
 * @param before how many units before `start` are looked at
 * @param after how many units from `end` on are looked at
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
