import { unrecordedListQuerySchema, unrecordedRequestListSchema } from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import { listUnrecorded } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentUnrecordedRequest } from '../../presenters/present-unrecorded-request.ts';

export const listUnrecordedRoute = defineRoute({
  method: 'get',
  path: '/api/v1/costs/unrecorded',
  scope: 'read',
  tag: 'Costs',
  summary:
    'Requests that were forwarded and are not recorded, with what they count in the budgets of their day, newest first',
  query: unrecordedListQuerySchema,
  answer: { status: 200, description: 'One page of requests', schema: unrecordedRequestListSchema },
  errors: [],
  handle: async ({ query }, response, { db }) => {
    const { agent_id, from, to } = query;
    const agentId = agent_id === undefined ? undefined : fromPublicId('agt', agent_id);
    // What is no id is nobody's: no requests.
    const rows = agentId === null ? [] : await listUnrecorded(db, { agentId, from, to }, query);
    response.json(rows.map(presentUnrecordedRequest));
  },
});
