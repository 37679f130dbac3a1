import { budgetInputSchema, budgetSchema } from '@agp/core/contracts';
import { type ControlRow, readGlobalBudget, updateControl } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { presentBudget } from '../../presenters/present-budget.ts';
import { readHeld } from '../../reads/read-held.ts';
import { today } from '../../requests/today.ts';

const presentCap = (row: ControlRow) => ({ daily_cap_usd: row.global_cap_usd, warn_only: row.global_warn_only });

export const setGlobalBudgetRoute = defineRoute({
  method: 'put',
  path: '/api/v1/budgets/global',
  scope: 'write',
  tag: 'Budgets',
  summary: 'Set the daily cap of all agents together: it holds from the next request on',
  body: budgetInputSchema,
  answer: { status: 200, description: 'The budget as it is now', schema: budgetSchema },
  errors: ['reservations_unavailable'],
  handle: async (input, response, context) => {
    const { daily_cap_usd, warn_only } = input.body;
    const day = today();
    const held = await readHeld(context.reservations, day);
    const budget = await recordChange(context, input, 'budget.global.set', async (transaction) => {
      const change = { global_cap_usd: daily_cap_usd, global_warn_only: warn_only };
      const { before, after } = await updateControl(transaction, change);
      const result = await readGlobalBudget(transaction, day, held);
      return { result, agentId: null, target: null, before: presentCap(before), after: presentCap(after) };
    });
    response.json(presentBudget(budget));
  },
});
