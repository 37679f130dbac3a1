import { utcDay } from '../format/format-time.ts';

const dayMs = 86_400_000;

/** True for a day as an address has it: `YYYY-MM-DD`. */
export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** The UTC day so many days later, earlier where negative; undefined for a text that is no day, and beyond the year 9999. */
export function addDays(day: string, days: number): string | undefined {
  if (!isDay(day)) return undefined;
  const later = utcDay(Date.parse(day) + days * dayMs);
  return isDay(later) ? later : undefined;
}

/**
 * The week before this one, Monday to Sunday, in UTC.
 *
 * @param now milliseconds
 * @returns its Monday, and the Monday after it, which is no part of it
 */
export function findLastWeek(now = Date.now()): { from: string; to: string } {
  const sinceMonday = (new Date(now).getUTCDay() + 6) % 7;
  const monday = now - (sinceMonday + 7) * dayMs;
  return { from: utcDay(monday), to: utcDay(monday + 7 * dayMs) };
}
