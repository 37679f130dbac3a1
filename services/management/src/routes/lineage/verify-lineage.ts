import { lineageVerdictSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { sessionIdPattern } from '@agp/core/events';
import { defineRoute } from '../../define-route.ts';
import { verifyLineage } from '../../reads/verify-lineage.ts';
import { sessionIdParameter } from '../../requests/parameters.ts';

export const verifyLineageRoute = defineRoute({
  method: 'get',
  path: '/api/v1/lineage/{session_id}/verify',
  scope: 'read',
  tag: 'Lineage',
  summary: "Whether a session's chain is as it was written, by computing every hash anew",
  params: { session_id: sessionIdParameter.id },
  answer: { status: 200, description: 'What was found', schema: lineageVerdictSchema },
  errors: ['session_not_found'],
  handle: async ({ params }, response, { db }) => {
    const verdict = sessionIdPattern.test(params.session_id) ? await verifyLineage(db, params.session_id) : null;
    if (verdict === null) throw new ApiError('session_not_found');
    response.json(verdict);
  },
});
