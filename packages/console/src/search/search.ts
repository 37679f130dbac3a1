import { findStart } from '@agp/core/calendar';
import { utcDay } from '../format/format.ts';

/** What stands behind `?` in an address, as the router parsed it: by anybody. */
export type RawSearch = Record<string, unknown>;

/** Takes a value of an address, or leaves it out. */
export type Reader<Value> = (raw: unknown) => Value | undefined;

/** Longer values are of no use to any filter. */
const longest = 256;

/** A text of at most 256 characters. The router reads digits and `true` as what they look like. */
export const readText: Reader<string> = (raw) => {
  const text = typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : raw;
  return typeof text === 'string' && text !== '' && text.length <= longest ? text : undefined;
};

export const readChoice =
  <const Choice extends string>(choices: readonly Choice[]): Reader<Choice> =>
  (raw) =>
    choices.find((choice) => choice === readText(raw));

export const readFlag: Reader<true> = (raw) => (readText(raw) === 'true' ? true : undefined);

/** A page's number from 2 on: the first page needs none. */
export const readPageNumber: Reader<number> = (raw) => {
  const value = Number(readText(raw));
  return Number.isSafeInteger(value) && value > 1 && value <= 100_000 ? value : undefined;
};

/** A time that the API would read: one of its words, a span, a day or a full time. */
export const readTime: Reader<string> = (raw) => {
  const text = readText(raw);
  return text !== undefined && isTime(text) ? text : undefined;
};

export function isTime(text: string): boolean {
  if (findStart(text) !== null) return true;
  return /^(?:[1-9]\d{0,4}[mhd]|\d{4}-\d\d-\d\d(?:T[\d:.]{5,12}(?:Z|[+-]\d\d:\d\d))?)$/.test(text);
}

type SearchOf<Readers> = {
  [Name in keyof Readers]?: Readers[Name] extends Reader<infer Value> ? Value | undefined : never;
};

/** Reads the search of a screen; names that no reader took become undefined, since the router lays the result over the address. */
export function readSearch<Readers extends Record<string, Reader<unknown>>>(readers: Readers) {
  return (raw: RawSearch): SearchOf<Readers> => {
    const unknown = Object.keys(raw).map((name) => [name, undefined]);
    const known = Object.entries(readers).map(([name, read]) => [name, read(raw[name])]);
    // Any list that is whole on the page has an order.
    return Object.fromEntries([...unknown, ['sort', readText(raw.sort)], ...known]) as SearchOf<Readers>;
  };
}

/** Leaves out what is not set. */
export function compact<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}

/** Ranges of time that a list offers: the words that the API takes as `from`, and their names. */
export const timeSpans = {
  ...{ '30m': 'Last 30 minutes', '24h': 'Last 24 hours', today: 'Today (UTC)', yesterday: 'Since yesterday (UTC)' },
  ...{ '7d': 'Last 7 days', '30d': 'Last 30 days' },
};

/** Alerts that a list may be narrowed to. */
export const alertStates = ['open', 'acknowledged', 'resolved', 'all'] as const;

/** What sums at a glance are of: each from the start of an hour or UTC day until now. */
export const windows = { '1h': 'Last hour', today: 'Today (UTC)', '24h': 'Last 24 hours', '7d': 'Last 7 days' };
export type Window = keyof typeof windows;

const dayMs = 86_400_000;

/** True for a day as an address has it: `YYYY-MM-DD`. */
export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** The day with which a word such as `last-month` begins; any other text as it is. */
export function findDay(text: string, now = Date.now()): string {
  const start = findStart(text, new Date(now));
  return start === null ? text : utcDay(start.getTime());
}

/** The UTC day so many days later; undefined for a text that is no day, and beyond the year 9999. */
export function addDays(day: string, days: number): string | undefined {
  if (!isDay(day)) return undefined;
  const later = utcDay(Date.parse(day) + days * dayMs);
  return isDay(later) ? later : undefined;
}
