import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { addDecidedSql } from '../record-events/decisions.ts';
import { hourlySums } from '../usage-columns.ts';

/** Usage by hour, and the keys of its rows in the order of the writer, so that neither waits for the other in a circle. */
const hourTables = {
  hourly_usage: 'agent_id, model, provider, compliance_tag',
  hourly_labelled: 'agent_id, label_set, model, provider, compliance_tag',
};

/** Begins a statement that adds rows to the findings by hour; a query with these columns follows, and then {@link ifKnownAddFindings}. */
const intoFindings = sql`INSERT INTO hourly_findings AS known (hour, agent_id, kind, event_count, last_event_at)`;

const ifKnownAddFindings = sql`
  ON CONFLICT (hour, agent_id, kind) DO UPDATE SET
    event_count = known.event_count + EXCLUDED.event_count,
    last_event_at = GREATEST(known.last_event_at, EXCLUDED.last_event_at)`;

const maxEntries = 50_000;

/**
 * Adds the refusals of the audit log up to yesterday to those by hour; later ones are shown by the minute. Each entry counts once: the
 * place that was reached moves in the same transaction.
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

const isOldHour = (cut: Date) => sql`
  hour < date_trunc('day', ${cut}::timestamptz, 'UTC') AND hour <> date_trunc('day', hour, 'UTC')`;

/** Sums of days stay; a late event makes an hour of its own, which the next call merges. */
export async function mergeOldHours(transaction: Db, cut: Date): Promise<void> {
  for (const [name, columns] of Object.entries(hourTables)) {
    const keys = sql.raw(columns);
    await sql`
      WITH hours AS (DELETE FROM ${sql.table(name)} WHERE ${isOldHour(cut)} RETURNING *)
      INSERT INTO ${sql.table(name)} AS known (hour, ${keys}, ${sql.raw(hourlySums.join(', '))})
      SELECT date_trunc('day', hour, 'UTC') AS day, ${keys}, ${sql.raw(hourlySums.map((sum) => `sum(${sum})`).join(', '))}
      FROM hours GROUP BY day, ${keys} ORDER BY day, ${keys}
      ON CONFLICT (hour, ${keys}) DO UPDATE SET
        ${sql.raw(hourlySums.map((sum) => `${sum} = known.${sum} + EXCLUDED.${sum}`).join(', '))}`.execute(transaction);
  }
  await sql`
    WITH hours AS (DELETE FROM hourly_findings WHERE ${isOldHour(cut)} RETURNING *)
    ${intoFindings}
    SELECT date_trunc('day', hour, 'UTC'), agent_id, kind, sum(event_count), max(last_event_at)
    FROM hours GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ${ifKnownAddFindings}`.execute(transaction);
  await sql`
    WITH decided AS (
      DELETE FROM hourly_decisions WHERE ${isOldHour(cut)}
      RETURNING date_trunc('day', hour, 'UTC') AS hour, policy, rule, action, event_count AS count
    ) ${sql.raw(addDecidedSql)}`.execute(transaction);
}
