/** Words for where a day, week or month begins, in UTC: all of the last month is from `last-month` to `month`. */
const starts = {
  today: (year: number, month: number, day: number) => Date.UTC(year, month, day),
  yesterday: (year: number, month: number, day: number) => Date.UTC(year, month, day - 1),
  week: (year: number, month: number, day: number, sinceMonday: number) => Date.UTC(year, month, day - sinceMonday),
  'last-week': (year: number, month: number, day: number, sinceMonday: number) =>
    Date.UTC(year, month, day - sinceMonday - 7),
  month: (year: number, month: number) => Date.UTC(year, month),
  'last-month': (year: number, month: number) => Date.UTC(year, month - 1),
};

const isWord = (text: string): text is keyof typeof starts => Object.hasOwn(starts, text);

/** When a word says that a time begins: the first moment of the month for `month`; null for any other text. */
export function findStart(word: string, now: Date = new Date()): Date | null {
  if (!isWord(word)) return null;
  const sinceMonday = (now.getUTCDay() + 6) % 7;
  return new Date(starts[word](now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), sinceMonday));
}
