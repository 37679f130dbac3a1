import type { MonthlyCosts } from '@agp/notifications';
import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** A target that was not told of a month, and did ask for its costs. */
export interface UnreportedTarget {
  id: string;
  by: string;
}

/**
 * Targets that are to be told what a month cost. Those that do not ask for it are noted as told, so that who asks in the middle of a month
 * hears of the next one; and so are those that nobody noted before.
 * @param month such as `2026-10`
 */
export async function listUnreported(db: Db, month: string): Promise<UnreportedTarget[]> {
  const by = sql<string>`target->>'monthly_costs_by'`;
  const { rows } = await sql<UnreportedTarget & { is_due: boolean }>`
    SELECT id, ${by} AS by, reported_month IS NOT NULL AND ${by} IS NOT NULL AS is_due
    FROM notification_targets WHERE reported_month IS NULL OR reported_month < ${month}`.execute(db);
  const others = rows.filter(({ is_due }) => !is_due).map(({ id }) => id);
  if (others.length > 0)
    await sql`
      UPDATE notification_targets SET reported_month = ${month}
      WHERE id = ANY (${others}::uuid[]) AND (reported_month IS NULL OR ${by} IS NULL)`.execute(db);
  return rows.filter(({ is_due }) => is_due);
}

/** Puts a report into the queue of a target, once for each month, in any number of processes. Returns whether this one did. */
export async function addReport(db: Db, { id }: UnreportedTarget, report: MonthlyCosts): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    WITH told AS (
      UPDATE notification_targets SET reported_month = ${report.month}
      WHERE id = ${id} AND reported_month < ${report.month} AND target->>'monthly_costs_by' = ${report.by} RETURNING id
    )
    INSERT INTO alert_deliveries (id, target_id, line, occasion, urgency, report)
    SELECT gen_random_uuid(), id, 'monthly costs', 'report', 2, ${JSON.stringify(report)}::jsonb FROM told`.execute(db);
  return numAffectedRows > 0n;
}
