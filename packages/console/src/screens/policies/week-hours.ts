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

/** Null if the hours are not the same each day. */
export function readHours(text: string): WeekHours | null {
  const spans = parseHours(text) ?? [];
  const times = new Set(spans.map(({ from, to }) => `${writeTime(from)} ${writeTime(to)}`));
  const [from = '', to = ''] = [...times][0]?.split(' ') ?? [];
  const starts = new Set(spans.map((span) => Math.floor(span.from / dayMinutes)));
  return times.size === 1 ? { days: weekDays.filter((_, day) => starts.has(day)), from, to } : null;
}

/** As a policy says it: `Mon-Wed 08:00-18:00, Fri 08:00-18:00`. */
export function writeHours({ days, from, to }: WeekHours): string {
  const runs: string[][] = [];
  for (const [at, day] of weekDays.entries()) {
    if (!days.includes(day)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === weekDays[at - 1]) run.push(day);
    else runs.push([day]);
  }
  return runs.map((run) => `${[...new Set([run[0], run.at(-1)])].join('-')} ${from}-${to}`).join(', ');
}
