import type { AgentBudget, Budget } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { AgentBudgetRow, BudgetRow } from '@agp/db';

/** A cap and what of it is used today. */
export function presentBudget(row: BudgetRow): Budget {
  return {
    daily_cap_usd: row.daily_cap_usd,
    spent_usd: row.spent_usd,
    reserved_usd: row.reserved_usd,
    remaining_usd: row.remaining_usd,
    ...(row.warn_only && { warn_only: true }),
  };
}

/** The budget of one agent. */
export function presentAgentBudget(row: AgentBudgetRow): AgentBudget {
  return { agent_id: toPublicId('agt', row.agent_id), agent_name: row.agent_name, ...presentBudget(row) };
}
