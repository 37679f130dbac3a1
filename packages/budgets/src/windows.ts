import { Temporal } from 'temporal-polyfill';

/** The time whose usage counts, in milliseconds since 1970; `to` is the first that does not. */
export interface Window {
  from: number;
  to: number;
  /** Usage at the time that was asked for is kept under this start: the window's own, or its latest hour's if that moves on. */
  bucket: number;
}

type Zoned = Temporal.ZonedDateTime;

const startOf = (day: Zoned) => day.startOfDay();
/** Of a calendar in a time zone: the start of what a time lies in, and what leads to the next. A day begins at its first moment. */
const calendar = {
  day: { start: startOf, next: { days: 1 } },
  week: { start: (at: Zoned) => startOf(at.subtract({ days: at.dayOfWeek - 1 })), next: { weeks: 1 } },
  month: { start: (at: Zoned) => startOf(at.with({ day: 1 })), next: { months: 1 } },
};

const hourMs = 3_600_000;
/** The last millisecond that `Date` and Postgres both have. */
export const never = 8.64e15;
const always: Window = { from: 0, to: never, bucket: 0 };

/** How usage of a window is told from that before it, by the window's first word. */
const windows: Record<string, (at: number, zone: string, hours: number) => Window> = {
  ...Object.fromEntries(
    Object.entries(calendar).map(([name, { start, next }]) => [
      name,
      (at: number, zone: string) => {
        const begin = start(Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone));
        const from = begin.epochMilliseconds;
        return { from, to: startOf(begin.add(next)).epochMilliseconds, bucket: from };
      },
    ]),
  ),
  rolling: (at, _zone, hours) => {
    const bucket = Math.floor(at / hourMs) * hourMs;
    return { from: bucket - (hours - 1) * hourMs, to: bucket + hourMs, bucket };
  },
  session: () => always,
  total: () => always,
};

/** Names of windows, `rolling:` and its hours apart. */
export const plainWindows = Object.keys(windows).filter((name) => name !== 'rolling');
export const mostHours = 24 * 31;
const rolling = /^rolling:([1-9]\d{0,3})$/;

export const isWindow = (text: string): boolean =>
  plainWindows.includes(text) || Number(rolling.exec(text)?.[1] ?? mostHours + 1) <= mostHours;

/** Windows that a zone matters for. */
export const isCalendar = (window: string): boolean => Object.hasOwn(calendar, window);

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
  const found = (windows[kind] as (typeof windows)[string])(at, zone, Number(hours));
  if (held.size >= mostHeld) held.clear();
  if (known === undefined || found.from > known.from) held.set(name, found);
  return found;
}
