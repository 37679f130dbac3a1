import { eventListSchema } from '@agp/core/contracts';
import { sessionIdPattern } from '@agp/core/events';
import { listSessionEvents } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentEvent } from '../../presenters/present-event.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';
import { sessionIdParameter } from '../../requests/parameters.ts';

export const listSessionEventsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/events/sessions/{session_id}',
  scope: 'read',
  tag: 'Events',
  summary: 'All events of one session, oldest first; none for an unknown session',
  params: { session_id: sessionIdParameter.id },
  answer: { status: 200, description: "The session's events", schema: eventListSchema },
  errors: [],
  handle: async ({ params }, response, { db }) => {
    if (!sessionIdPattern.test(params.session_id)) {
      response.json([]);
      return;
    }
    await replyWithList(response, listSessionEvents(db, params.session_id), presentEvent);
  },
});
