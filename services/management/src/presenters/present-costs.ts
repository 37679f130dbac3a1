import type { CostBreakdownEntry, CostSummary, UnpricedModel } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { AgentCostRow, CostTotalsRow, UnpricedModelRow } from '@agp/db';

function presentTotals(row: { cost_usd: number; prompt_tokens: number; completion_tokens: number }) {
  return {
    total_cost_usd: row.cost_usd,
    total_prompt_tokens: row.prompt_tokens,
    total_completion_tokens: row.completion_tokens,
    total_tokens: row.prompt_tokens + row.completion_tokens,
  };
}

/** The totals of everything recorded (interface.md section 2.4). */
export function presentCostSummary(row: CostTotalsRow): CostSummary {
  return {
    ...presentTotals(row),
    date_from: row.first_event_at?.toISOString() ?? null,
    date_to: row.last_event_at?.toISOString() ?? null,
    agent_count: row.agent_count,
    request_count: row.request_count,
  };
}

/** The totals of one agent (interface.md section 2.5). */
export function presentAgentCost(row: AgentCostRow): CostBreakdownEntry {
  return {
    agent_id: toPublicId('agt', row.agent_id),
    agent_name: row.agent_name,
    ...presentTotals(row),
    request_count: row.request_count,
    avg_cost_per_request_usd: row.cost_per_request_usd,
    models_used: row.models,
  };
}

/** What was used of a model that has no known price. */
export function presentUnpricedModel(row: UnpricedModelRow): UnpricedModel {
  return {
    provider: row.provider,
    model: row.model,
    request_count: row.request_count,
    total_prompt_tokens: row.prompt_tokens,
    total_completion_tokens: row.completion_tokens,
    first_seen_at: row.first_event_at.toISOString(),
    last_seen_at: row.last_event_at.toISOString(),
  };
}
