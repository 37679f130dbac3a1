import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** How much of today's caps (UTC) recorded spend has used. */
export interface CapUse {
  /** Active agents that have a cap above 0 and spent at least `near` of it. */
  agents_near: number;
  /** Those of them that spent all of it. */
  agents_at: number;
  /** Used part of the cap of all agents together; null without such a cap. */
  global_ratio: number | null;
}

/** @param near part of a cap, 0 to 1 */
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
