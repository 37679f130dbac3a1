import type { CostUsageEntry } from '@agp/core/contracts';

/** What a group cost on a day, USD. */
export interface DayCost {
  /** `YYYY-MM-DD` */
  day: string;
  group: string;
  cost: number;
}

/** One bar: what each group cost on a day. */
interface StackedDay {
  day: string;
  costs: Readonly<Record<string, number>>;
}

const others = 'all others';
const dayMs = 86_400_000;
/** More days than that are not filled: somebody asked for years. */
const mostFilled = 400;

/**
 * Sums by day and group for a chart: the dearest groups by themselves, all others as one; days without usage between the first and the
 * last as well.
 */
export function stackDays(entries: readonly DayCost[], mostGroups: number): { days: StackedDay[]; groups: string[] } {
  const totals = new Map<string, number>();
  for (const { group, cost } of entries) totals.set(group, (totals.get(group) ?? 0) + cost);
  const dearest = [...totals].toSorted(([, a], [, b]) => b - a).map(([group]) => group);
  const groups = dearest.slice(0, mostGroups);
  const shown = new Set(groups);
  const byDay = new Map<string, Record<string, number>>();
  for (const { day, group, cost } of entries) {
    // Names are anybody's: an object without a prototype takes any.
    const costs = byDay.get(day) ?? (Object.create(null) as Record<string, number>);
    byDay.set(day, costs);
    const name = shown.has(group) ? group : others;
    costs[name] = (costs[name] ?? 0) + cost;
  }
  const known = [...byDay.keys()].toSorted();
  const days = fillDays(known).map((day) => ({ day, costs: byDay.get(day) ?? {} }));
  return { days, groups: dearest.length > mostGroups ? [...groups, others] : groups };
}

function fillDays(known: readonly string[]): string[] {
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  const count = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  if (!(count <= mostFilled)) return [...known];
  return Array.from({ length: count }, (_, at) => new Date(Date.parse(first) + at * dayMs).toISOString().slice(0, 10));
}

const hourMs = 3_600_000;

/** One hour of charts. */
export interface Hour {
  /** Its start, milliseconds since 1970. */
  at: number;
  cost: number;
  requests: number;
  failed: number;
  tokensIn: number;
  tokensOut: number;
  /** Estimates in milliseconds; null if no call is known. */
  p50: number | null;
  p95: number | null;
  firstByte: number | null;
}

/** The hours from a time until now, this one included; those without usage as well. Entries of other hours are left out. */
export function fillHours(entries: readonly CostUsageEntry[], from: number, now: number): Hour[] {
  const known = new Map(entries.map((entry) => [Date.parse(entry.hour ?? ''), entry]));
  const first = Math.floor(from / hourMs) * hourMs;
  return Array.from({ length: Math.max(0, Math.floor((now - first) / hourMs)) + 1 }, (_, index) => {
    const at = first + index * hourMs;
    const entry = known.get(at);
    return {
      ...{ at, cost: entry?.total_cost_usd ?? 0 },
      ...{ requests: entry?.request_count ?? 0, failed: entry?.failed_count ?? 0 },
      ...{ tokensIn: entry?.total_prompt_tokens ?? 0, tokensOut: entry?.total_completion_tokens ?? 0 },
      ...{ p50: entry?.p50_ms ?? null, p95: entry?.p95_ms ?? null, firstByte: entry?.first_byte_p50_ms ?? null },
    };
  });
}

const mostSteps = 4;

/** Round values from 0 to `max` or just above, in up to four equal steps of 1, 2 or 5 times a power of ten. */
export function listTicks(max: number, leastStep = 0): number[] {
  const top = max > 0 ? max : 1;
  const wanted = Math.max(top / mostSteps, leastStep);
  const power = 10 ** Math.floor(Math.log10(wanted));
  // Rounding may leave a trace of what is a step already.
  const step = ([1, 2, 5, 10].find((each) => each * power >= wanted * (1 - 1e-9)) as number) * power;
  const count = Math.ceil(top / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}
