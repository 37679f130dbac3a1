const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A span in a unit that is read at once: `240 ms`, `3.2 s`, `4 min`, `2 h 5 min`, `3 d`. */
export function formatDuration(ms: number): string {
  if (ms < second) return `${Math.round(ms)} ms`;
  if (ms < minute) return `${(ms / second).toFixed(1)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h ${Math.floor((ms % hour) / minute)} min`;
  return `${Math.floor(ms / day)} d`;
}

/** How long ago, roughly: `just now`, `12 s ago`, `3 min ago`, `5 h ago`, `3 d ago`. */
export function formatAgo(time: number, now: number): string {
  const ms = now - time;
  if (ms < 2 * second) return 'just now';
  if (ms < minute) return `${Math.floor(ms / second)} s ago`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h ago`;
  return `${Math.floor(ms / day)} d ago`;
}

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

/** In the viewer's zone: the time alone for today, else with its day. */
export function formatTime(timestamp: string, now: number = Date.now(), timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const time = new Date(timestamp);
  const dayOf = new Intl.DateTimeFormat('en-GB', { ...zone, day: 'numeric', month: 'short', year: 'numeric' });
  const clockOf = new Intl.DateTimeFormat('en-GB', { ...zone, ...clock }).format(time);
  if (dayOf.format(time) === dayOf.format(now)) return clockOf;
  const sameYear = dayOf.format(time).slice(-4) === dayOf.format(now).slice(-4);
  return `${sameYear ? dayOf.format(time).slice(0, -5) : dayOf.format(time)}, ${clockOf}`;
}

/** With the zone written out: what a tooltip and a printed page show. */
export function formatFullTime(timestamp: string, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  return new Intl.DateTimeFormat('en-GB', {
    ...zone,
    ...clock,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZoneName: 'short',
  }).format(new Date(timestamp));
}

/** The minute from a time on, in the viewer's zone: `15:07 to 15:08`, with its day where it is not today. */
export function formatMinute(timestamp: string, now: number = Date.now(), timeZone?: string): string {
  const [begin, end] = [timestamp, endOfMinute(timestamp)].map((at) => formatTime(at, now, timeZone).slice(0, -3));
  return `${begin} to ${end?.slice(-5)}`;
}

/** The end of the minute that begins at a time, as the API writes times. */
export function endOfMinute(timestamp: string): string {
  return new Date(Date.parse(timestamp) + minute).toISOString();
}

/** `2026-11-22 14:03:22.393 UTC`. */
export function formatUtc(timestamp: string): string {
  return timestamp.replace('T', ' ').replace('Z', ' UTC');
}

/** The UTC day of a time, `YYYY-MM-DD`. */
export function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
