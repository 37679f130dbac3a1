import { doubtfulUsageListSchema, unrecordedListQuerySchema } from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import { listDoubtfulUsage } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentDoubtfulUsage } from '../../presenters/present-doubtful-usage.ts';

export const listDoubtfulUsageRoute = defineRoute({
  method: 'get',
  path: '/api/v1/costs/doubtful',
  scope: 'read',
  tag: 'Costs',
  summary: 'Calls whose recorded figures are not to be taken as they stand, with what was claimed, newest first',
  query: unrecordedListQuerySchema,
  answer: { status: 200, description: 'One page of calls', schema: doubtfulUsageListSchema },
  errors: [],
  handle: async ({ query }, response, { db }) => {
    const { agent_id, from, to } = query;
    const agentId = agent_id === undefined ? undefined : fromPublicId('agt', agent_id);
    // What is no id is nobody's: no calls.
    const rows = agentId === null ? [] : await listDoubtfulUsage(db, { agentId, from, to }, query);
    response.json(rows.map(presentDoubtfulUsage));
  },
});
