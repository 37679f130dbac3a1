import { eventListQuerySchema, eventListSchema } from '@agp/core/contracts';
import { sessionIdPattern } from '@agp/core/events';
import { fromPublicId } from '@agp/core/ids';
import { defineRoute } from '../../define-route.ts';
import { presentEvent } from '../../presenters/present-event.ts';
import { replyWithEvents } from '../../replies/reply-with-events.ts';

export const listEventsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/events',
  scope: 'read',
  tag: 'Events',
  summary: 'Events of all agents, newest first',
  query: eventListQuerySchema,
  answer: { status: 200, description: 'One page of events', schema: eventListSchema, paged: true },
  errors: [],
  handle: async (input, response, { db }) => {
    const { agent_id, session_id } = input.query;
    const agentId = agent_id === undefined ? undefined : fromPublicId('agt', agent_id);
    // What is no id is nobody's: no events.
    if (agentId === null || (session_id !== undefined && !sessionIdPattern.test(session_id))) {
      response.json([]);
      return;
    }
    await replyWithEvents(input, response, db, { agentId, sessionId: session_id }, presentEvent);
  },
});
