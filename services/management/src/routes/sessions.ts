import {
  sessionDetailQuerySchema,
  sessionDetailSchema,
  sessionListQuerySchema,
  sessionListSchema,
  writeSessionCursor,
} from '@agp/core/contracts';
import { countSessions, listSessionEvents, listSessions, readSession } from '@agp/db';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentSession, presentSessionEvent, writeJson } from '../presenters.ts';
import { makeCsv, replyWithList, replyWithPage, sayTotal } from '../replies.ts';
import { found, readAgentFilter, sessionId } from '../requests.ts';

const sessionsCsv = makeCsv('sessions', sessionListSchema.element, {
  ...{ name: 'names', labels: 'names', failed_count: 'failures' },
});

export const sessionRoutes = tagRoutes('Sessions', [
  defineRoute('GET /api/v1/sessions', {
    extendedOnly: true,
    summary: 'All sessions, the latest start first',
    query: sessionListQuerySchema,
    answer: {
      description: 'The sessions; with a `limit`, a page of them',
      schema: sessionListSchema,
      paged: true,
      csv: sessionsCsv,
    },
    handle: async ({ request, query }, { db }, response) => {
      const { limit, offset, expand = '' } = query;
      const of = { ...query, failed: query.failed === 'true', withFailures: expand.includes('failures') };
      const filter = { ...of, agentId: readAgentFilter(query.agent_id) };
      const present = presentSession(expand.includes('names'));
      if (query.total) sayTotal(response, await countSessions(db, filter));
      if (limit === undefined) return replyWithList(response, listSessions(db, filter, { offset }), present);
      // One more than is shown, to know if there is a next page.
      const rows = (await Array.fromAsync(listSessions(db, filter, { limit: limit + 1, offset }))).flat();
      replyWithPage({ request, query: { ...query, limit } }, response, rows, present, writeSessionCursor);
    },
  }),
  defineRoute('GET /api/v1/sessions/{id}', {
    extendedOnly: true,
    summary: 'One session with all its events, oldest first',
    params: { id: sessionId },
    query: sessionDetailQuerySchema,
    answer: { description: 'The session and its events', schema: sessionDetailSchema },
    handle: async ({ params, query }, { db }, response) => {
      const { expand = '' } = query;
      const session = found(await readSession(db, params.id), 'session_not_found');
      // The links that the totals hold, and none recorded since: both parts of the answer agree.
      const events = listSessionEvents(db, session.id, {
        length: session.event_count,
        withOutcomes: expand.includes('outcome'),
      });
      const shown = presentSession(expand.includes('names'))(session);
      const framing = { before: `{"session":${writeJson(shown)},"events":[`, after: ']}' };
      await replyWithList(response, events, presentSessionEvent, framing);
    },
  }),
]);
