import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** Entries of one transaction. */
const maxEntries = 50_000;

/**
 * Adds the refusals of the audit log up to yesterday to those by hour; later ones are shown by the minute. Each entry counts once: the log
 * only grows at its end, and the place that was reached moves in the same transaction. Needs the migrator's role.
 */
export async function rollUpRefusals(db: Db, now: Date): Promise<void> {
  while (await rollUpSome(db, now));
}

function rollUpSome(db: Db, now: Date): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ from: number; end: number | null }>`
      SELECT next_seq AS from, 1 + (
          SELECT seq FROM audit_log WHERE "timestamp" < ${now}::timestamptz - interval '1 day'
          ORDER BY "timestamp" DESC, seq DESC LIMIT 1
        ) AS "end"
      FROM refusal_fill FOR UPDATE`.execute(transaction);
    const { from = 0, end = null } = rows[0] ?? {};
    if (end === null || end <= from) return false;
    const until = Math.min(from + maxEntries, end);
    await sql`
      INSERT INTO hourly_refusals AS known (hour, agent_id, reason, refusal_count)
      SELECT date_trunc('hour', log."timestamp", 'UTC'), log.agent_id, reasons.key, sum(reasons.value::bigint)
      FROM audit_log AS log
      CROSS JOIN LATERAL json_each_text(log.payload::json -> 'after' -> 'reasons') AS reasons
      WHERE log.action = 'request.refused' AND log.seq >= ${from} AND log.seq < ${until}
      GROUP BY 1, 2, 3
      ON CONFLICT (hour, agent_id, reason) DO UPDATE SET refusal_count = known.refusal_count + EXCLUDED.refusal_count`.execute(
      transaction,
    );
    await sql`UPDATE refusal_fill SET next_seq = ${until}`.execute(transaction);
    return true;
  });
}
