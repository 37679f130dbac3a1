import { utcDay } from '../format/format.ts';

/** What stands behind `?` in an address, as the router parsed it: by anybody. */
export type RawSearch = Record<string, unknown>;

/** Longer values are of no use to any filter. */
const longest = 256;

/** A text of at most 256 characters; undefined for anything else. The router reads digits and `true` as what they look like. */
export function readText(search: RawSearch, name: string): string | undefined {
  const value = search[name];
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= longest ? text : undefined;
}

/** One of some texts; undefined for any other. */
export function readChoice<Choice extends string>(
  search: RawSearch,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === readText(search, name));
}

/** A page's number, from 1 on. */
export function readPageNumber(search: RawSearch, name = 'page'): number | undefined {
  const value = Number(readText(search, name));
  return Number.isSafeInteger(value) && value > 1 && value <= 100_000 ? value : undefined;
}

/** Leaves out what is not set, so that addresses stay short. */
export function compact<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}

/** A list that is only paged. */
export function readPageSearch(raw: RawSearch): { page?: number | undefined } {
  return compact({ page: readPageNumber(raw) });
}

/** The id of a request that is looked for. */
export function readFindSearch(raw: RawSearch): { id?: string | undefined } {
  return compact({ id: readText(raw, 'id') });
}

export const keyViews = ['keys', 'tokens', 'names'] as const;

/** Which of the secrets are shown: keys where it is absent. */
export function readKeysSearch(raw: RawSearch): { view?: (typeof keyViews)[number] | undefined } {
  return compact({ view: readChoice(raw, 'view', keyViews) });
}

/**
 * Makes a screen see only what its reader took from an address: the router lays what was read over what stands in the address, so a value
 * that the reader left out would come through as anybody wrote it.
 */
export function takeKnown<Search extends object>(read: (raw: RawSearch) => Search): (raw: RawSearch) => Search {
  return (raw) => ({ ...Object.fromEntries(Object.keys(raw).map((name) => [name, undefined])), ...read(raw) });
}

/** Ranges of time that a list offers: the words that the API takes as `from`, and their names. */
export const timeSpans = [
  { value: '30m', label: 'Last 30 minutes' },
  { value: '24h', label: 'Last 24 hours' },
  { value: 'today', label: 'Today (UTC)' },
  { value: 'yesterday', label: 'Since yesterday (UTC)' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
] as const;

/** A time that the API would read: one of the words, a span, a day or a full time. */
export function isTime(text: string): boolean {
  return /^(?:today|yesterday|[1-9]\d{0,4}[mhd]|\d{4}-\d\d-\d\d(?:T[\d:.]{5,12}(?:Z|[+-]\d\d:\d\d))?)$/.test(text);
}

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
