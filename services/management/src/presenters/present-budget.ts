import type { AgentBudget, Budget } from '@agp/core/contracts';
import type { AgentBudgetRow, BudgetRow } from '@agp/db';
import { presentRow } from './present-row.ts';

/** A cap, and how much of it is used today. */
export function presentBudget({ warn_only, ...row }: BudgetRow): Budget {
  return { ...row, ...(warn_only && { warn_only }) };
}

/** The budget of one agent. */
export function presentAgentBudget({ warn_only, ...row }: AgentBudgetRow): AgentBudget {
  return { ...presentRow(row), ...(warn_only && { warn_only }) };
}
