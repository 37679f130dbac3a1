import { firstUuidAt } from '@agp/core/ids';

/** Ids from `from` on and below `to`; without one of them there is no such bound. */
export interface IdRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** Events that were recorded so long after their time are in an index of their own, `events_recorded_late`. */
const lateMs = 10 * 60_000;

const laterOf = (one: string | undefined, other: string | undefined) =>
  one === undefined || (other !== undefined && other > one) ? other : one;
const earlierOf = (one: string | undefined, other: string | undefined) =>
  one === undefined || (other !== undefined && other < one) ? other : one;

/** The part that both ranges have; null where there is none. */
function overlap(one: IdRange, other: IdRange): IdRange | null {
  const from = laterOf(one.from, other.from);
  const to = earlierOf(one.to, other.to);
  return from !== undefined && to !== undefined && from >= to ? null : { from, to };
}

/**
 * Cuts a range of ids into parts that Postgres reads each in the order of ids, the latest first. A range in which ids may also lie in the
 * default partition makes it look for the first match in every week before it returns any; so what lies outside the weeks is read apart.
 *
 * @param weeks from the first week on until the end of the last one; correct whatever they are
 */
export function splitByWeeks(range: IdRange, weeks: IdRange | null): IdRange[] {
  if (weeks === null) return [range];
  return [{ from: weeks.to }, weeks, { to: weeks.from }]
    .map((part) => overlap(range, part))
    .filter((part) => part !== null);
}

/**
 * Cuts a range by when its events were recorded: those at most ten minutes before `recordedAfter` and later, most of which match, and the
 * rest, of which only late ones can.
 */
export function splitByRecording(
  range: IdRange,
  recordedAfter: Date,
): { recent: IdRange | null; late: IdRange | null } {
  const cut = firstUuidAt(Math.max(0, recordedAfter.getTime() - lateMs));
  return { recent: overlap(range, { from: cut }), late: overlap(range, { to: cut }) };
}
