import { findRecordedIds, listForwarded, noteEndedRequests, type Pool, removeForwarded } from '@agp/db';
import { type BudgetReservations, leaseMs } from '@agp/reservations';

const rowsAtOnce = 500;
/** In milliseconds: after a longer look proxies, too, may have been unable to tell Postgres anything. */
const hungMs = 5_000;
/** Most pages in a round; the next round continues. */
const pagesInRound = 20;

/**
 * Settles requests that proxies kept in Postgres while Redis was away, and that were silent for 30 seconds: recorded ones are forgotten,
 * held ones left to Redis, the others were lost with their proxy. Noted first and forgotten then, so a crash only repeats the note.
 * A proxy is also silent about a request once JetStream has its event, so nothing counts as silent that a writer behind may still record.
 * @param readUnreadMs age of the oldest unrecorded message, in milliseconds
 * @throws errors of Postgres, also if it hung, and of `readUnreadMs`: the rest is left to the next round
 */
export async function noteForwarded(
  reservations: BudgetReservations,
  pool: Pool,
  readUnreadMs: () => Promise<number>,
  onNoted: (eventIds: string[]) => void,
  leastSilentMs = leaseMs,
): Promise<void> {
  let began = performance.now();
  const silentMs = leastSilentMs + (await readUnreadMs());
  for (let page = 0; page < pagesInRound; page += 1) {
    const silent = await listForwarded(pool, silentMs, rowsAtOnce);
    if (performance.now() - began > hungMs) throw new Error('Postgres hung: who is silent is looked at again later');
    began = performance.now();
    if (silent.length === 0) return;
    const eventIds = silent.map(({ eventId }) => eventId);
    const settled = new Set(await findRecordedIds(pool, eventIds));
    for (const day of new Set(silent.map((each) => each.day))) {
      // Redis may be away for writers, too: then this list alone knows of them.
      const held = await reservations.list(day, null).catch(() => []);
      for (const { eventId } of held) settled.add(eventId);
    }
    const lost = silent.filter(({ eventId }) => !settled.has(eventId));
    if (lost.length > 0)
      onNoted(
        await noteEndedRequests(
          pool,
          lost.map((each) => ({ ...each, reason: 'ended_without_record' })),
        ),
      );
    await removeForwarded(pool, eventIds, silentMs);
    if (silent.length < rowsAtOnce) return;
  }
}
