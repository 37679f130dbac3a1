import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** How far the daily caps of today (UTC) are used by recorded spend. */
export interface CapUse {
  /** Active agents that have a cap above 0 and spent at least `near` of it. */
  agents_near: number;
  /** Those of them that spent all of it. */
  agents_at: number;
  /** Spent part of the cap of all agents together; null while there is none. */
  global_ratio: number | null;
}

/**
 * Reads it from the view that dashboards read.
 *
 * @param near part of a cap, 0 to 1
 */
export async function readCapUse(db: Db, near: number): Promise<CapUse> {
  const { rows } = await sql<CapUse>`
    SELECT count(*) FILTER (WHERE of_agent AND used_ratio >= ${near}) AS agents_near,
      count(*) FILTER (WHERE of_agent AND used_ratio >= 1) AS agents_at,
      max(used_ratio) FILTER (WHERE scope = 'global') AS global_ratio
    FROM (
      SELECT *, scope = 'agent' AND agent_status = 'active' AND daily_cap_usd > 0 AS of_agent
      FROM reporting.budgets_today
    ) AS budgets`.execute(db);
  return rows[0] as CapUse;
}
