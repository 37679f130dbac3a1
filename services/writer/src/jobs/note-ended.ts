import { noteEndedRequests, type Pool, type UnrecordedSpend } from '@agp/db';
import type { BudgetReservations, EndedReservation } from '@agp/reservations';

/** Days for which Redis keeps reservations, today included. */
const daysKept = 9;
const rowsAtOnce = 500;
/** Most pages of one day in a round; the next round continues. */
const pagesInRound = 20;
const dayMs = 86_400_000;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Noted {
  eventIds: string[];
  /** Not ours, or broken: they are dropped. */
  unreadable: number;
}

/**
 * Moves abandoned reservations of killed proxies from Redis to Postgres, where they keep counting and operators see them. Noted first and
 * released then, so a crash only repeats the note.
 * @throws errors of Redis and Postgres: the rest is left to the next round
 */
export async function noteEnded(
  reservations: BudgetReservations,
  pool: Pool,
  now: number,
  onNoted: (noted: Noted) => void,
): Promise<void> {
  for (let ago = 0; ago < daysKept; ago += 1) {
    const day = new Date(now - ago * dayMs).toISOString().slice(0, 10);
    for (let page = 0; page < pagesInRound; page += 1) {
      const { ended, isAll } = await reservations.listEnded(day, rowsAtOnce);
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

/** What Postgres would refuse must not block the others. */
function isReadable({ eventId, agentId, nanoUsd }: EndedReservation): boolean {
  return uuid.test(eventId) && uuid.test(agentId) && Number.isSafeInteger(nanoUsd) && nanoUsd >= 0;
}

function toSpend({ eventId, agentId, nanoUsd, forwarded }: EndedReservation, day: string): UnrecordedSpend {
  return { eventId, agentId, day, costNanoUsd: nanoUsd, reason: 'ended_without_record', request: forwarded };
}
