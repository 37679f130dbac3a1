import { uuidTime } from '@agp/core/ids';
import { findRecordedIds, type Pool } from '@agp/db';
import type { BudgetReservations } from '@agp/reservations';

/** Younger reservations are on their way: their requests run, or their events wait for a writer. */
const minAgeMs = 10_000;
const sweepEveryMs = 10_000;
const maxAtOnce = 1_000;
const dayMs = 86_400_000;

/**
 * Looks up the events of reservations that should be settled by now, and releases those that are recorded: a writer may
 * have died, or missed Redis, between its commit and the release. Several writers may sweep at once.
 *
 * @returns how many were found recorded
 */
export async function sweepReservations(reservations: BudgetReservations, pool: Pool, now: number): Promise<number> {
  let swept = 0;
  for (const time of [now, now - dayMs]) {
    const day = new Date(time).toISOString().slice(0, 10);
    const held = await reservations.list(day, null);
    const old = held.map(({ eventId }) => eventId).filter((id) => now - uuidTime(id) > minAgeMs);
    for (let at = 0; at < old.length; at += maxAtOnce) {
      const recorded = await findRecordedIds(pool, old.slice(at, at + maxAtOnce));
      if (recorded.length > 0) await reservations.release(recorded.map((eventId) => ({ eventId, day })));
      swept += recorded.length;
    }
  }
  return swept;
}

/** Sweeps from time to time. @returns stops it */
export function keepSweeping(
  reservations: BudgetReservations,
  pool: Pool,
  onFailure: (error: Error) => void,
): () => void {
  const timer = setInterval(() => {
    sweepReservations(reservations, pool, Date.now()).catch(onFailure);
  }, sweepEveryMs);
  return () => clearInterval(timer);
}
