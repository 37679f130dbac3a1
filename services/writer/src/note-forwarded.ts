import { findRecordedIds, listForwarded, noteEndedRequests, type Pool, removeForwarded } from '@agp/db';
import { type BudgetReservations, leaseMs } from '@agp/reservations';

const maxAtOnce = 500;
/** A look that took longer, in milliseconds, says nothing: proxies could tell Postgres of their requests as little as we could ask it. */
const hungMs = 5_000;
/** Most pages in a round; the next round continues. */
const maxPages = 20;

/**
 * Settles requests that proxies kept in Postgres while Redis was away, and of which nothing was heard for 30 seconds: recorded ones are
 * forgotten, those that Redis holds by now are left to it, and the others were lost with their proxy. They are noted first and forgotten
 * then, so that a crash in between only repeats the note. Several writers may run it at once.
 *
 * A proxy falls silent about a request, too, once JetStream has its event. So where writers are behind, nothing is looked at that went
 * silent less than 30 seconds before the oldest message came which they have not recorded.
 *
 * @param readUnreadMs how long ago that message came, in milliseconds
 * @param onNoted called with the UUIDs of those that were not noted before
 * @param leastSilentMs shorter in tests alone
 * @throws errors of Postgres, also where it hung, and of `readUnreadMs`: the rest is left to the next round
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
  for (let page = 0; page < maxPages; page += 1) {
    const silent = await listForwarded(pool, silentMs, maxAtOnce);
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
    if (silent.length < maxAtOnce) return;
  }
}
