import { type CostUsageEntry, mostLookedAt, type Session } from '../contracts/index.ts';
import { formatCount } from './formats.ts';

/** Who passes it fails: least requests, the part of them that failed, and how many times its part of the week before. */
export const failingBound = { requests: 10, part: 0.2, times: 2 };

type Counts = Pick<CostUsageEntry, 'agent_id' | 'model' | 'provider' | 'failed_count' | 'request_count'>;

const partOf = ({ failed_count: failed, request_count: all }: Counts) => failed / all;
const keyOf = ({ agent_id, model, provider }: Counts) => agent_id ?? model ?? provider;

export const isSuspect = (entry: Counts) =>
  entry.request_count >= failingBound.requests && partOf(entry) >= failingBound.part;

/**
 * Those whose failures pass the bound, the most first, with the part of the week before that failed: null if that is not known.
 * @param week as far as it is known
 */
export function findFailing<Entry extends Counts>(latest: readonly Entry[], week: readonly Counts[] = []) {
  return latest
    .filter(isSuspect)
    .map((entry) => {
      const earlier = week.find((each) => keyOf(each) === keyOf(entry) && each.request_count > 0);
      return { entry, before: earlier === undefined ? null : partOf(earlier) };
    })
    .filter(({ entry, before }) => partOf(entry) > failingBound.times * (before ?? 0))
    .toSorted((one, other) => other.entry.failed_count - one.entry.failed_count);
}

/** Least failures that are told to somebody, and by how many standard deviations they must pass what was usual. */
const surprising = { failed: 10, deviations: 4 };

/** Whether failures that pass the bound are too many to be chance. @param before the part that used to fail; null is none */
export function isSurprising({ request_count: all, failed_count: failed }: Counts, before: number | null): boolean {
  const usual = Math.max(0.01, before ?? 0);
  const chance = all * usual + surprising.deviations * Math.sqrt(all * usual * (1 - usual));
  return failed >= surprising.failed && failed > chance;
}

/** How many events of a session failed: `3`, or of a long one `3 of the last 1,000`, since no more are looked at. */
export function tellFailures({
  failed_count: failed = 0,
  event_count: all,
}: Pick<Session, 'failed_count' | 'event_count'>) {
  return all > mostLookedAt ? `${formatCount(failed)} of the last ${formatCount(mostLookedAt)}` : formatCount(failed);
}
