import { budgetInputSchema, budgetSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { type AgentLimitsRow, readAgentBudgets, updateAgentLimits } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { presentBudget } from '../../presenters/present-budget.ts';
import { readHeld } from '../../reads/read-held.ts';
import { agentIdParameter } from '../../requests/parameters.ts';
import { today } from '../../requests/today.ts';

const presentCap = ({ daily_cap_usd, warn_only }: AgentLimitsRow) => ({ daily_cap_usd, warn_only });

export const setAgentBudgetRoute = defineRoute({
  method: 'put',
  path: '/api/v1/budgets/agents/{id}',
  scope: 'write',
  tag: 'Budgets',
  summary: "Set an agent's daily cap: it holds from the next request on",
  params: agentIdParameter,
  body: budgetInputSchema,
  answer: { status: 200, description: 'The budget as it is now', schema: budgetSchema },
  errors: ['agent_not_found', 'reservations_unavailable'],
  handle: async (input, response, context) => {
    const id = fromPublicId('agt', input.params.id);
    if (id === null) throw new ApiError('agent_not_found');
    const day = today();
    const held = await readHeld(context.reservations, day);
    const budget = await recordChange(context, input, 'budget.agent.set', async (transaction) => {
      const changed = await updateAgentLimits(transaction, id, input.body);
      const [result] = await readAgentBudgets(transaction, day, [id], held);
      if (changed === undefined || result === undefined) throw new ApiError('agent_not_found');
      const { before, after } = changed;
      const agentId = input.params.id;
      return { result, agentId, target: agentId, before: presentCap(before), after: presentCap(after) };
    });
    response.json(presentBudget(budget));
  },
});
