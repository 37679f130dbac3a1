import { sql } from 'kysely';
import type { Db } from '../../database.ts';

export interface CostTotalsRow {
  cost_usd: number;
  prompt_tokens: number;
  completion_tokens: number;
  agent_count: number;
  request_count: number;
  first_event_at: Date | null;
  last_event_at: Date | null;
}

/** Usage of all agents and days, added exactly by Postgres; zeros and nulls while there is none. */
export async function summarizeCosts(db: Db): Promise<CostTotalsRow> {
  const { rows } = await sql<CostTotalsRow>`
    SELECT coalesce(sum(cost_usd), 0) AS cost_usd,
           coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
           coalesce(sum(completion_tokens), 0) AS completion_tokens,
           count(DISTINCT agent_id) AS agent_count,
           coalesce(sum(request_count), 0) AS request_count,
           min(first_event_at) AS first_event_at,
           max(last_event_at) AS last_event_at
    FROM daily_usage`.execute(db);
  return rows[0] as CostTotalsRow;
}
