const hourMs = 3_600_000;
const hourCount = 25;

/** One hour of a chart. */
export interface Hour {
  /** Its start, milliseconds since 1970. */
  at: number;
  cost: number;
  requests: number;
}

interface Entry {
  hour?: string;
  total_cost_usd: number;
  request_count: number;
}

/** The hours until now, this one included; those without usage as well. Entries of other hours are left out. */
export function fillHours(entries: readonly Entry[], now: number): Hour[] {
  const known = new Map(entries.map((entry) => [Date.parse(entry.hour ?? ''), entry]));
  const last = Math.floor(now / hourMs) * hourMs;
  return Array.from({ length: hourCount }, (_, index) => {
    const at = last - (hourCount - 1 - index) * hourMs;
    const entry = known.get(at);
    return { at, cost: entry?.total_cost_usd ?? 0, requests: entry?.request_count ?? 0 };
  });
}
