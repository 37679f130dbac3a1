import { sessionDetailSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { sessionIdPattern } from '@agp/core/events';
import { listSessionEvents, readSession } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentSessionEvent } from '../../presenters/present-event.ts';
import { presentSession } from '../../presenters/present-session.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';
import { sessionIdParameter } from '../../requests/parameters.ts';

export const getSessionRoute = defineRoute({
  method: 'get',
  path: '/api/v1/sessions/{id}',
  scope: 'read',
  extendedOnly: true,
  tag: 'Sessions',
  summary: 'One session with all its events, oldest first',
  params: sessionIdParameter,
  answer: { status: 200, description: 'The session and its events', schema: sessionDetailSchema },
  errors: ['session_not_found'],
  handle: async ({ params }, response, { db }) => {
    const session = sessionIdPattern.test(params.id) ? await readSession(db, params.id) : undefined;
    if (session === undefined) throw new ApiError('session_not_found');
    // The links that the totals hold, and none recorded since: both parts of the answer agree.
    const events = listSessionEvents(db, session.id, session.event_count);
    const framing = { before: `{"session":${JSON.stringify(presentSession(session))},"events":[`, after: ']}' };
    await replyWithList(response, events, presentSessionEvent, framing);
  },
});
