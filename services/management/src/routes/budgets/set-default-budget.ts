import { type Budget, budgetInputSchema, budgetSchema } from '@agp/core/contracts';
import { type ControlRow, updateControl } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { presentBudget } from '../../presenters/present-budget.ts';

const presentCap = (row: ControlRow) => ({
  daily_cap_usd: row.default_agent_cap_usd,
  warn_only: row.default_warn_only,
});

export const setDefaultBudgetRoute = defineRoute({
  method: 'put',
  path: '/api/v1/budgets/default',
  scope: 'write',
  tag: 'Budgets',
  summary: 'Set the daily cap that new agents are registered with; those that are registered keep theirs',
  body: budgetInputSchema,
  answer: { status: 200, description: 'The budget that a new agent begins with', schema: budgetSchema },
  errors: [],
  handle: async (input, response, context) => {
    const { daily_cap_usd, warn_only } = input.body;
    const cap = await recordChange(context, input, 'budget.default.set', async (transaction) => {
      const change = { default_agent_cap_usd: daily_cap_usd, default_warn_only: warn_only };
      const { before, after } = await updateControl(transaction, change);
      const result = presentCap(after);
      return { result, agentId: null, target: null, before: presentCap(before), after: result };
    });
    const unused = { spent_usd: 0, reserved_usd: 0, remaining_usd: cap.daily_cap_usd };
    response.json(presentBudget({ ...cap, ...unused }) satisfies Budget);
  },
});
