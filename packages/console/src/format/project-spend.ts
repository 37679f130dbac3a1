const dayMs = 86_400_000;

/** When a daily cap will be used up if the day goes on as it went until now. */
export type Projection =
  | { kind: 'none' }
  | { kind: 'exhausted' }
  | { kind: 'safe'; endOfDayUsd: number }
  | { kind: 'runs out'; at: number; endOfDayUsd: number };

/** A day's first minutes say nothing about the day, in milliseconds. */
const leastMs = 10 * 60_000;

/**
 * Projects today's spend in a straight line. Days are of UTC.
 *
 * @param used spent and reserved, USD
 * @param now milliseconds since 1970
 * @returns `none` without a cap, and so early in the day that nothing can be said
 */
export function projectSpend(used: number, cap: number | null, now: number): Projection {
  if (cap === null) return { kind: 'none' };
  if (used >= cap) return { kind: 'exhausted' };
  const since = now % dayMs;
  if (since < leastMs) return { kind: 'none' };
  const endOfDayUsd = (used / since) * dayMs;
  if (endOfDayUsd <= cap) return { kind: 'safe', endOfDayUsd };
  return { kind: 'runs out', at: now - since + (cap / used) * since, endOfDayUsd };
}
