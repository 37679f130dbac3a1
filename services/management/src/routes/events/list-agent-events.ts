import { agentEventListQuerySchema, agentEventListSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { agentExists } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentAgentEvent } from '../../presenters/present-event.ts';
import { replyWithEvents } from '../../replies/reply-with-events.ts';
import { agentIdParameter } from '../../requests/parameters.ts';

export const listAgentEventsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/agents/{id}/events',
  scope: 'read',
  tag: 'Agents',
  summary: 'Events of one agent, newest first',
  params: agentIdParameter,
  query: agentEventListQuerySchema,
  answer: { status: 200, description: 'One page of events', schema: agentEventListSchema, paged: true },
  errors: ['agent_not_found'],
  handle: async (input, response, { db }) => {
    const agentId = fromPublicId('agt', input.params.id);
    if (agentId === null || !(await agentExists(db, agentId))) throw new ApiError('agent_not_found');
    await replyWithEvents(input, response, db, { agentId }, presentAgentEvent);
  },
});
