import { sql } from 'kysely';
import type { Db } from '../../database.ts';

export interface AgentCostRow {
  agent_id: string;
  agent_name: string;
  cost_usd: number;
  prompt_tokens: number;
  completion_tokens: number;
  request_count: number;
  /** 0 while an agent has only the first halves of pairs. */
  cost_per_request_usd: number;
  /** At most {@link maxModels}. */
  models: string[];
}

/** Each day adds names that an agent may have made up. */
export const maxModels = 1_000;

/** Usage of each agent that has any, the costliest first, ties by id. */
export async function listAgentCosts(db: Db): Promise<AgentCostRow[]> {
  const { rows } = await sql<AgentCostRow>`
    SELECT usage.*, agents.name AS agent_name
    FROM (
      SELECT agent_id,
             sum(cost_usd) AS cost_usd,
             sum(prompt_tokens) AS prompt_tokens,
             sum(completion_tokens) AS completion_tokens,
             sum(request_count) AS request_count,
             coalesce(sum(cost_usd) / nullif(sum(request_count), 0), 0) AS cost_per_request_usd,
             (array_agg(DISTINCT model COLLATE "C" ORDER BY model COLLATE "C"))[1:${maxModels}] AS models
      FROM daily_usage
      GROUP BY agent_id
    ) usage
    JOIN agents ON agents.id = usage.agent_id
    ORDER BY usage.cost_usd DESC, usage.agent_id`.execute(db);
  return rows;
}
