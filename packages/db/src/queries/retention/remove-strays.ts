import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { mergeOldHours } from '../rollups/merge-old-hours.ts';
import { keepAnchors, type Removed } from './keep-anchors.ts';
import { retentionEntry } from './retention-entry.ts';

/**
 * Removes old rows outside the weekly partitions: events that came after their partition was removed, quarantined messages, doubted
 * usage with its notes, and the spend of unrecorded events, which matters only for the cap of its day. Usage by hour becomes usage by day.
 *
 * @param before the first id that is kept, of the time `cut`
 */
export function removeStrays(db: Db, before: string, cut: Date): Promise<{ events: number; messages: number }> {
  return db.transaction().execute(async (transaction) => {
    const until = cut.toISOString();
    const removed: Removed = await keepAnchors(
      transaction,
      sql`DELETE FROM events_default WHERE id < ${before}::uuid RETURNING session_id, seq, lineage_hash`,
    );
    const quarantined = await transaction
      .deleteFrom('quarantine')
      .where('received_at', '<', cut)
      .executeTakeFirstOrThrow();
    await transaction.deleteFrom('doubtful_usage').where('event_id', '<', before).execute();
    // A bill's name has no space; with one it is a note that a doubt was told. Bills stay, or they could be charged again.
    await sql`DELETE FROM claimed_bills WHERE bill LIKE '% %' AND claimed_at < ${cut}`.execute(transaction);
    await transaction.deleteFrom('unrecorded_spend').where('day', '<', until.slice(0, 10)).execute();
    await mergeOldHours(transaction, cut);
    const messages = Number(quarantined.numDeletedRows);
    await appendAudit(transaction, [
      ...(removed.events > 0 ? [retentionEntry('events_default', { from: null, to: until, ...removed })] : []),
      ...(messages > 0 ? [retentionEntry('quarantine', { from: null, to: until, messages })] : []),
    ]);
    return { events: removed.events, messages };
  });
}
