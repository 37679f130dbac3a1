import type { CostBreakdownEntry } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** Usage of each agent that has any, the costliest first, ties by id. */
export async function listAgentCosts(db: Db): Promise<CostBreakdownEntry[]> {
  const { rows } = await sql<CostBreakdownEntry>`
    SELECT usage.agent_id, agents.name AS agent_name, total_cost_usd, total_prompt_tokens, total_completion_tokens,
      total_prompt_tokens + total_completion_tokens AS total_tokens, request_count,
      -- None while an agent has only the first halves of pairs.
      coalesce(total_cost_usd / nullif(request_count, 0), 0) AS avg_cost_per_request_usd, models_used
    FROM (
      SELECT agent_id,
             sum(cost_usd) AS total_cost_usd,
             sum(prompt_tokens) AS total_prompt_tokens,
             sum(completion_tokens) AS total_completion_tokens,
             sum(request_count) AS request_count,
             array_agg(model ORDER BY model COLLATE "C") AS models_used
      FROM agent_usage
      GROUP BY agent_id
    ) usage
    JOIN agents ON agents.id = usage.agent_id
    ORDER BY total_cost_usd DESC, usage.agent_id`.execute(db);
  return rows;
}
