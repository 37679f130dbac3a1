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

/** What is used at the end of a span of milliseconds, if it goes on as since its beginning. */
export function expectAtEnd(used: number, { from, to }: { from: number; to: number }, now: number): number {
  return (used * (to - from)) / Math.max(60_000, now - from);
}

/** The same of the month that is running, in UTC; null if the range of what is used is not all of it so far. */
export function expectOfMonth(
  used: number,
  range: { from?: string | null | undefined; to?: string | null | undefined },
  now: Date = new Date(),
): number | null {
  const from = starts.month(now.getUTCFullYear(), now.getUTCMonth());
  if (Date.parse(range.from ?? '') !== from || (range.to && Date.parse(range.to) < now.getTime())) return null;
  return expectAtEnd(used, { from, to: starts.month(now.getUTCFullYear(), now.getUTCMonth() + 1) }, now.getTime());
}
