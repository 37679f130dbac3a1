import type { CostUsageEntry } from '@agp/core/contracts';

/** From here on somebody is failing: requests since the hour before this one, the part of them that failed, and how many times its own of the week before that is. */
export const bound = { requests: 10, part: 0.2, times: 2 };

/** One that fails more than it should. */
export interface Failing {
  entry: CostUsageEntry;
  /** The part that failed of its requests of the week before; null if it made none, or if others failed much more. */
  before: number | null;
}

const partOf = ({ failed_count: failed, request_count: all }: CostUsageEntry) => failed / all;
const keyOf = ({ agent_id, model, provider }: CostUsageEntry) => agent_id ?? model ?? provider;

export const isSuspect = (entry: CostUsageEntry) =>
  entry.request_count >= bound.requests && partOf(entry) >= bound.part;

/** Those whose failures pass the bound, the most first. @param week as far as it is known */
export function findFailing(latest: readonly CostUsageEntry[], week: readonly CostUsageEntry[] = []): Failing[] {
  return latest
    .filter(isSuspect)
    .map((entry) => {
      const earlier = week.find((each) => keyOf(each) === keyOf(entry) && each.request_count > 0);
      return { entry, before: earlier === undefined ? null : partOf(earlier) };
    })
    .filter(({ entry, before }) => partOf(entry) > bound.times * (before ?? 0))
    .toSorted((one, other) => other.entry.failed_count - one.entry.failed_count);
}
