import { costSummarySchema } from '@agp/core/contracts';
import { summarizeCosts } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentCostSummary } from '../../presenters/present-costs.ts';

export const getCostSummaryRoute = defineRoute({
  method: 'get',
  path: '/api/v1/costs/summary',
  scope: 'read',
  tag: 'Costs',
  summary: 'Usage and cost of all agents together',
  answer: { status: 200, description: 'The totals', schema: costSummarySchema },
  errors: [],
  handle: async (_input, response, { db }) => {
    response.json(presentCostSummary(await summarizeCosts(db)));
  },
});
