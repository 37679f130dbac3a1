import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { type RefusalRow, refusalColumns, refusalGroup, toRefusalEntry } from './refusal-columns.ts';

/** Most counts that one transaction moves, so that changes never wait long for the end of the chain. */
const maxCounts = 500;
const lockKey = 4_704_122;

/**
 * Moves some refusal counts of the oldest minute that ended at least ten seconds ago into the log's chain, in one transaction: at any
 * moment each is in exactly one of the two. One writer does so at a time.
 *
 * @returns how many counts were moved: 0 when there is nothing to do, or another writer is doing it
 */
export function sealRefusals(db: Db): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const { rows: locks } = await sql<{ taken: boolean }>`
      SELECT pg_try_advisory_xact_lock(${lockKey}) AS taken`.execute(transaction);
    if (!locks[0]?.taken) return 0;
    // Counts without an agent come first, so that the few of a minute are moved together.
    const { rows: counts } = await sql<{ minute: Date; agent_id: string | null; reason: string }>`
      SELECT minute, agent_id, reason FROM refusal_counts
      WHERE minute = (SELECT min(minute) FROM refusal_counts WHERE minute <= clock_timestamp() - interval '70 seconds')
      ORDER BY agent_id NULLS FIRST, reason COLLATE "C" LIMIT ${maxCounts} FOR UPDATE`.execute(transaction);
    // A separate statement: it sees the locked counts including what a proxy added just before.
    const { rows } = await sql<RefusalRow>`
      WITH moved AS (
        DELETE FROM refusal_counts AS counted
        USING unnest(
          ${counts.map(({ minute }) => minute)}::timestamptz[], ${counts.map(({ agent_id }) => agent_id)}::uuid[],
          ${counts.map(({ reason }) => reason)}::text[]
        ) AS locked (minute, agent_id, reason)
        WHERE counted.minute = locked.minute AND counted.reason = locked.reason
          AND counted.agent_id IS NOT DISTINCT FROM locked.agent_id
        RETURNING counted.*
      )
      SELECT ${refusalColumns} FROM moved GROUP BY ${refusalGroup} ORDER BY agent_id NULLS FIRST`.execute(transaction);
    await appendAudit(transaction, rows.map(toRefusalEntry));
    return counts.length;
  });
}
