import { costBreakdownSchema } from '@agp/core/contracts';
import { listAgentCosts } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentAgentCost } from '../../presenters/present-costs.ts';

export const getCostBreakdownRoute = defineRoute({
  method: 'get',
  path: '/api/v1/costs/breakdown',
  scope: 'read',
  tag: 'Costs',
  summary: 'Usage and cost of each agent, the costliest first',
  answer: { status: 200, description: 'One entry for each agent with recorded events', schema: costBreakdownSchema },
  errors: [],
  handle: async (_input, response, { db }) => {
    response.json((await listAgentCosts(db)).map(presentAgentCost));
  },
});
