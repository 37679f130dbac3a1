import type { MonthlyCosts } from '@agp/alerts';
import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** A target that was not told of a month, and did ask for its costs. */
export interface UnreportedTarget {
  id: string;
  by: string;
}

interface Turn {
  /** Such as `2026-10`. */
  month: string;
  at: Date;
  /** A target that was tried since then is not tried. */
  triedSince: Date;
}

/**
 * Takes targets that are to be told what a month cost, each for one process, which has until it may be tried again. Those that do not ask
 * for it are noted as told, so that who asks in the middle of a month hears of the next one; and so are those that nobody noted before.
 */
export async function takeUnreported(db: Db, { month, at, triedSince }: Turn): Promise<UnreportedTarget[]> {
  const by = sql<string>`target->>'monthly_costs_by'`;
  await sql`
    UPDATE notification_targets SET reported_month = ${month}
    WHERE reported_month IS NULL OR reported_month < ${month} AND ${by} IS NULL`.execute(db);
  const { rows } = await sql<UnreportedTarget>`
    UPDATE notification_targets SET report_tried_at = ${at}
    WHERE reported_month < ${month} AND ${by} IS NOT NULL AND (report_tried_at IS NULL OR report_tried_at < ${triedSince})
    RETURNING id, ${by} AS by`.execute(db);
  return rows;
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
