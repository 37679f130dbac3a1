import type { CostSummary } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import type { RowOf } from '../../row-of.ts';

export type CostTotalsRow = RowOf<CostSummary, 'date_from' | 'date_to'>;

/** Usage of all agents and days, added exactly by Postgres; zeros and nulls without any. */
export async function summarizeCosts(db: Db): Promise<CostTotalsRow> {
  const { rows } = await sql<CostTotalsRow>`
    SELECT coalesce(sum(cost_usd), 0) AS total_cost_usd,
           coalesce(sum(prompt_tokens), 0) AS total_prompt_tokens,
           coalesce(sum(completion_tokens), 0) AS total_completion_tokens,
           coalesce(sum(prompt_tokens) + sum(completion_tokens), 0) AS total_tokens,
           min(first_event_at) AS date_from,
           max(last_event_at) AS date_to,
           count(DISTINCT agent_id) AS agent_count,
           coalesce(sum(request_count), 0) AS request_count
    FROM agent_usage`.execute(db);
  return rows[0] as CostTotalsRow;
}
