import { sessionDetailSchema, sessionListSchema, wholeListQuerySchema } from '@agp/core/contracts';
import { listSessionEvents, listSessions, readSession } from '@agp/db';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentSessionEvent } from '../presenters/present-event.ts';
import { presentRow } from '../presenters/present-row.ts';
import { replyWithList } from '../replies/reply-with-list.ts';
import { found } from '../requests/found.ts';
import { sessionId } from '../requests/parameters.ts';

export const sessionRoutes = tagRoutes('Sessions', [
  defineRoute('GET /api/v1/sessions', {
    extendedOnly: true,
    summary: 'All sessions, the latest start first',
    query: wholeListQuerySchema,
    answer: { description: 'The sessions', schema: sessionListSchema },
    handle: ({ query }, { db }, response) => replyWithList(response, listSessions(db, query), (row) => presentRow(row)),
  }),
  defineRoute('GET /api/v1/sessions/{id}', {
    extendedOnly: true,
    summary: 'One session with all its events, oldest first',
    params: { id: sessionId },
    answer: { description: 'The session and its events', schema: sessionDetailSchema },
    handle: async ({ params }, { db }, response) => {
      const session = found(await readSession(db, params.id), 'session_not_found');
      // The links that the totals hold, and none recorded since: both parts of the answer agree.
      const events = listSessionEvents(db, session.id, session.event_count);
      const framing = { before: `{"session":${JSON.stringify(presentRow(session))},"events":[`, after: ']}' };
      await replyWithList(response, events, presentSessionEvent, framing);
    },
  }),
]);
