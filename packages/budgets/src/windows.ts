import { Temporal } from 'temporal-polyfill';

/** The time whose usage counts, in milliseconds since 1970; `to` is the first that does not. */
export interface Window {
  from: number;
  to: number;
  /** Usage at the time that was asked for is kept under this start: the window's own, or its latest hour's if that moves on. */
  bucket: number;
}

interface Row {
  /** What people choose. */
  choice: string;
  /** A time zone matters for it. */
  inCalendar?: true;
  /** How usage is told from that before it. */
  find(at: number, zone: string, hours: number): Window;
}

type Zoned = Temporal.ZonedDateTime;

/** A window of the calendar. @param next leads from one to the next @param first the first day of the one that a time lies in */
const ofCalendar = (choice: string, next: Temporal.DurationLike, first: (at: Zoned) => Zoned): Row => ({
  ...{ choice, inCalendar: true },
  find(at, zone) {
    const begin = first(Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)).startOfDay();
    const from = begin.epochMilliseconds;
    return { from, to: begin.add(next).startOfDay().epochMilliseconds, bucket: from };
  },
});

const hourMs = 3_600_000;
/** The last millisecond that `Date` and Postgres both have. */
export const never = 8.64e15;
const always: Window = { from: 0, to: never, bucket: 0 };

const findLast = (at: number, _zone: string, hours: number): Window => {
  const bucket = Math.floor(at / hourMs) * hourMs;
  return { from: bucket - (hours - 1) * hourMs, to: bucket + hourMs, bucket };
};

/** By the window's first word, in the order in which they are offered. */
const windows: Readonly<Record<string, Row>> = {
  day: ofCalendar('A day', { days: 1 }, (at) => at),
  week: ofCalendar('A week, from Monday', { weeks: 1 }, (at) => at.subtract({ days: at.dayOfWeek - 1 })),
  month: ofCalendar('A month', { months: 1 }, (at) => at.with({ day: 1 })),
  rolling: { choice: 'The last hours', find: findLast },
  session: { choice: 'A session', find: () => always },
  total: { choice: 'All time', find: () => always },
};

/** Names of windows, `rolling:` and its hours apart. */
export const plainWindows = Object.keys(windows).filter((name) => name !== 'rolling');
export const mostHours = 24 * 31;
const rolling = /^rolling:([1-9]\d{0,3})$/;

export const isWindow = (text: string): boolean =>
  plainWindows.includes(text) || Number(rolling.exec(text)?.[1] ?? mostHours + 1) <= mostHours;

/** Windows that a zone matters for. */
export const isCalendar = (window: string): boolean => windows[window]?.inCalendar === true;

/** What people may choose, by a window of each kind. */
export const windowChoices: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(windows).map(([kind, { choice }]) => [kind === 'rolling' ? 'rolling:24' : kind, choice]),
);

const held = new Map<string, Window>();
const mostHeld = 1_000;

/**
 * The window that a time lies in. The present one of each kind and zone is worked out once, since calendars are slow.
 * @param at milliseconds since 1970
 */
export function findWindow(window: string, zone: string, at: number): Window {
  const name = `${window} ${zone}`;
  const known = held.get(name);
  if (known !== undefined && at >= known.bucket && at < known.to) return known;
  const [kind = '', hours] = window.split(':');
  const found = (windows[kind] as Row).find(at, zone, Number(hours));
  if (held.size >= mostHeld) held.clear();
  if (known === undefined || found.from > known.from) held.set(name, found);
  return found;
}
