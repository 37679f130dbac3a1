import { lineageRemovalsSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { sessionIdPattern } from '@agp/core/events';
import { listLineageAnchors, readLineageHead } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { sessionIdParameter } from '../../requests/parameters.ts';

export const listRemovedLinksRoute = defineRoute({
  method: 'get',
  path: '/api/v1/lineage/{session_id}/removed',
  scope: 'read',
  tag: 'Lineage',
  summary: "Which events of a session's chain were removed for their age, and the hashes from which it goes on",
  params: { session_id: sessionIdParameter.id },
  answer: { status: 200, description: 'What was removed, in chain order', schema: lineageRemovalsSchema },
  errors: ['session_not_found'],
  handle: async ({ params: { session_id } }, response, { db }) => {
    const head = sessionIdPattern.test(session_id) ? await readLineageHead(db, session_id) : undefined;
    if (head === undefined) throw new ApiError('session_not_found');
    response.json({ session_id, removed: await listLineageAnchors(db, session_id) });
  },
});
