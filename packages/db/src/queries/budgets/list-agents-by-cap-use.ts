import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import type { PageRange } from '../pages/read-pages.ts';

/** Agents that are sorted at once. */
const mostSorted = 1_000;

/**
 * UUIDs of the agents that have used most of their cap on a day; then those without a cap, the dearest first. Retired ones are left out.
 *
 * @param day `YYYY-MM-DD`, UTC
 */
export async function listAgentsByCapUse(db: Db, day: string, { limit, offset }: PageRange): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT agents.id
    FROM agents LEFT JOIN (
      SELECT agent_id, sum(cost_usd) AS usd FROM daily_usage WHERE day = ${day} GROUP BY agent_id
    ) AS spent ON spent.agent_id = agents.id
    WHERE agents.status <> 'retired'
    ORDER BY CASE WHEN daily_cap_usd > 0 THEN coalesce(spent.usd, 0) / daily_cap_usd
                  WHEN daily_cap_usd = 0 THEN 'Infinity'::numeric END DESC NULLS LAST,
      spent.usd DESC NULLS LAST, agents.id
    LIMIT ${Math.min(limit ?? mostSorted, mostSorted)} OFFSET ${offset}`.execute(db);
  return rows.map(({ id }) => id);
}
