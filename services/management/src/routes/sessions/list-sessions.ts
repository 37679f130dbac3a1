import { sessionListSchema, wholeListQuerySchema } from '@agp/core/contracts';
import { listSessions } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentSession } from '../../presenters/present-session.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';

export const listSessionsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/sessions',
  scope: 'read',
  extendedOnly: true,
  tag: 'Sessions',
  summary: 'All sessions, the latest start first',
  query: wholeListQuerySchema,
  answer: { status: 200, description: 'The sessions', schema: sessionListSchema },
  errors: [],
  handle: ({ query }, response, { db }) => replyWithList(response, listSessions(db, query), presentSession),
});
