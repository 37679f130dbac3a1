import { noteEndedRequests, type Pool, type UnrecordedSpend } from '@agp/db';
import type { BudgetReservations, EndedReservation } from '@agp/reservations';

/** As long as Redis keeps what nobody has asked after, in days; the day that has just begun included. */
const daysKept = 9;
const maxAtOnce = 500;
/** What one round notes of a day at most; the next one goes on. */
const maxPages = 20;
const dayMs = 86_400_000;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What was found. */
export interface Noted {
  /** UUIDs of the events that will not come, of those that were not noted before. */
  eventIds: string[];
  /** Reservations that nobody can read: not ours, or broken. They are given up. */
  unreadable: number;
}

/**
 * Moves reservations of forwarded requests that nobody holds any more, which is those of a proxy that was killed, from Redis to Postgres: they
 * count on against the caps of their day, and are shown to operators. First noted, then released; who dies in between leaves what is found
 * noted the next time. Safe to run by several writers at once.
 *
 * @param now milliseconds since 1970
 * @param onNoted told of each part as soon as it is noted
 * @throws what Redis or Postgres throw: the rest is left to the next round
 */
export async function noteEnded(
  reservations: BudgetReservations,
  pool: Pool,
  now: number,
  onNoted: (noted: Noted) => void,
): Promise<void> {
  for (let ago = 0; ago < daysKept; ago += 1) {
    const day = new Date(now - ago * dayMs).toISOString().slice(0, 10);
    for (let page = 0; page < maxPages; page += 1) {
      const { ended, isAll } = await reservations.listEnded(day, maxAtOnce);
      const readable = ended.filter(isReadable);
      if (ended.length > 0) {
        const spends = readable.map((reservation) => toSpend(reservation, day));
        const eventIds = spends.length === 0 ? [] : await noteEndedRequests(pool, spends);
        onNoted({ eventIds, unreadable: ended.length - readable.length });
        await reservations.release(ended.map(({ eventId }) => ({ eventId, day })));
      }
      if (isAll) break;
    }
  }
}

/** One that Postgres would refuse must not keep the others from being noted. */
function isReadable({ eventId, agentId, nanoUsd }: EndedReservation): boolean {
  return uuid.test(eventId) && uuid.test(agentId) && Number.isSafeInteger(nanoUsd) && nanoUsd >= 0;
}

function toSpend({ eventId, agentId, nanoUsd, forwarded }: EndedReservation, day: string): UnrecordedSpend {
  return { eventId, agentId, day, costNanoUsd: nanoUsd, reason: 'ended_without_record', request: forwarded };
}
