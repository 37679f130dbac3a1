import { parseHours } from '@agp/policy/hours';

const dayMinutes = 24 * 60;

export const weekDays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** The same hours on some days of the week. */
export interface WeekHours {
  /** Of `weekDays`. */
  days: readonly string[];
  /** `HH:MM`, both; one that ends before it begins goes on to the next day. */
  from: string;
  to: string;
}

const writeTime = (minutes: number) =>
  [Math.floor(minutes / 60) % 24, minutes % 60].map((part) => `${part}`.padStart(2, '0')).join(':');

/** Days with the same hours together, in the order of the week. */
export function readHours(text: string): WeekHours[] {
  const spans = (parseHours(text) ?? []).toSorted((one, other) => one.from - other.from);
  const byTimes = Map.groupBy(spans, ({ from, to }) => `${writeTime(from)} ${writeTime(to)}`);
  return [...byTimes].map(([times, same]) => {
    const [from = '', to = ''] = times.split(' ');
    const starts = new Set(same.map((span) => Math.floor(span.from / dayMinutes)));
    return { days: weekDays.filter((_, day) => starts.has(day)), from, to };
  });
}

/** As a policy says it: `Mon-Wed 08:00-18:00, Fri 08:00-18:00`. */
export const writeHours = (ranges: readonly WeekHours[]): string => ranges.map(writeRange).join(', ');

function writeRange({ days, from, to }: WeekHours): string {
  const runs: string[][] = [];
  for (const [at, day] of weekDays.entries()) {
    if (!days.includes(day)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === weekDays[at - 1]) run.push(day);
    else runs.push([day]);
  }
  return runs.map((run) => `${[...new Set([run[0], run.at(-1)])].join('-')} ${from}-${to}`).join(', ');
}
