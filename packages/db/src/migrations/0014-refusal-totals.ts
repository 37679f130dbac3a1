import { type Kysely, sql } from 'kysely';

/**
 * Refused requests by hour, for reports: the audit log has an entry for each agent and minute, and to read its JSON takes too long over a
 * month. `rollUpRefusals` fills the table from the log up to an entry; the view reads the rest from the log itself.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE hourly_refusals (
      hour           timestamptz NOT NULL,
      agent_id       uuid,
      reason         text NOT NULL,
      refusal_count  bigint NOT NULL,
      UNIQUE NULLS NOT DISTINCT (hour, agent_id, reason)
    )`.execute(db);
  // Entries of the log from `next_seq` on are not in the hours yet.
  await sql`
    CREATE TABLE refusal_fill (
      id        boolean PRIMARY KEY DEFAULT true CHECK (id),
      next_seq  bigint NOT NULL DEFAULT 0
    )`.execute(db);
  await sql`INSERT INTO refusal_fill DEFAULT VALUES`.execute(db);
  await sql`
    CREATE VIEW reporting.refusal_totals AS
    SELECT refused.since, reporting.public_id('agt', refused.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, refused.reason, refused.refusal_count
    FROM (
      SELECT hour AS since, agent_id, reason, refusal_count FROM hourly_refusals
      UNION ALL
      SELECT log."timestamp"::timestamptz, log.agent_id, reasons.key, reasons.value::bigint
      FROM audit_log AS log
      CROSS JOIN LATERAL json_each_text(log.payload::json -> 'after' -> 'reasons') AS reasons
      WHERE log.action = 'request.refused' AND log.seq >= (SELECT next_seq FROM refusal_fill)
      UNION ALL
      SELECT minute, agent_id, reason, count FROM refusal_counts
    ) AS refused LEFT JOIN agents ON agents.id = refused.agent_id`.execute(db);
}
