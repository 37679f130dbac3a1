import { lineageSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { sessionIdPattern } from '@agp/core/events';
import { listLineageAnchors, listLineageEntries, readLineageOrder } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentLineageEntry } from '../../presenters/present-lineage-entry.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';
import { sessionIdParameter } from '../../requests/parameters.ts';

export const getLineageRoute = defineRoute({
  method: 'get',
  path: '/api/v1/lineage/{session_id}',
  scope: 'read',
  tag: 'Lineage',
  summary: "A session's chain of lineage hashes, with the exact text that each covers",
  params: { session_id: sessionIdParameter.id },
  answer: { status: 200, description: 'The chain, in the order of recording', schema: lineageSchema },
  errors: ['session_not_found'],
  handle: async ({ params }, response, { db }) => {
    if (!sessionIdPattern.test(params.session_id)) throw new ApiError('session_not_found');
    const order = await readLineageOrder(db, params.session_id);
    if (order.length === 0 && (await listLineageAnchors(db, params.session_id)).length === 0)
      throw new ApiError('session_not_found');
    const framing = { before: `{"session_id":${JSON.stringify(params.session_id)},"entries":[`, after: ']}' };
    await replyWithList(response, listLineageEntries(db, order), presentLineageEntry, framing);
  },
});
