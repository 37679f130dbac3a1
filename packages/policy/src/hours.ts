/** A span of the week, in minutes since Monday 00:00; `to` may pass the week's end. */
interface Span {
  from: number;
  to: number;
}

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const minutesOfDay = 24 * 60;
const minutesOfWeek = 7 * minutesOfDay;
const part = /^([a-z]{3})(?:-([a-z]{3}))? ([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

/**
 * Spans of the week such as `Mon-Fri 08:00-18:00, Sat 09:00-12:00`; one that ends before it begins goes on to the next day.
 * @returns null if the text says none
 */
export function parseHours(text: string): Span[] | null {
  const spans: Span[] = [];
  for (const each of text.toLowerCase().split(',')) {
    const [, first = '', last = first, h = '', m = '', untilH = '', untilM = ''] = part.exec(each.trim()) ?? [];
    const [start, end] = [days.indexOf(first), days.indexOf(last)];
    const [from, to] = [Number(h) * 60 + Number(m), Number(untilH) * 60 + Number(untilM)];
    if (start < 0 || end < 0 || from >= minutesOfDay || to > minutesOfDay || from === to) return null;
    for (let day = start; ; day = (day + 1) % 7) {
      const begin = day * minutesOfDay;
      spans.push({ from: begin + from, to: begin + (to > from ? to : to + minutesOfDay) });
      if (day === end) break;
    }
  }
  return spans;
}

/** Reads the minute of the week in a time zone; making one is slow. */
export function openClock(zone: string): (at: Date) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at) => {
    const read = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return (
      days.indexOf(String(read.weekday).toLowerCase()) * minutesOfDay + Number(read.hour) * 60 + Number(read.minute)
    );
  };
}

export function isWithin(spans: readonly Span[], minute: number): boolean {
  return spans.some(({ from, to }) => [minute, minute + minutesOfWeek].some((at) => at >= from && at < to));
}

/** The minutes of a week that spans cover, a bit each, so that two weeks are compared at once. */
export function toWeek(spans: readonly Span[]): bigint {
  const week = (1n << BigInt(minutesOfWeek)) - 1n;
  let minutes = 0n;
  for (const { from, to } of spans) minutes |= ((1n << BigInt(to - from)) - 1n) << BigInt(from);
  return (minutes & week) | (minutes >> BigInt(minutesOfWeek));
}
