import { refusalListQuerySchema, refusalListSchema } from '@agp/core/contracts';
import { toPublicId, uuidOf, uuidTime } from '@agp/core/ids';
import { countRefusals, listRefusals, type RefusedRequestRow } from '@agp/db';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentRow } from '../presenters.ts';
import { replyWithPage, sayTotal } from '../replies.ts';
import { readAgentFilter } from '../requests.ts';

const presentRefusal = ({ id, ...row }: RefusedRequestRow) => ({
  id: toPublicId('ref', id),
  timestamp: new Date(uuidTime(id)).toISOString(),
  ...presentRow(row),
});

export const refusalRoutes = tagRoutes('Refusals', [
  defineRoute('GET /api/v1/refusals', {
    summary: 'Requests that the proxy refused, newest first',
    query: refusalListQuerySchema,
    answer: {
      description:
        'One page of refused requests, kept for `REFUSAL_DAYS`. Of each minute, the first ten of an agent, reason and rule are listed singly, ' +
        'a hundred of a network and 300 of a proxy; entries with a `count` stand for the others.',
      schema: refusalListSchema,
      paged: true,
      csv: { name: 'refusals' },
    },
    handle: async (input, { db }, response) => {
      const { agent_id, reason, policy, rule, request_id, cursor, limit, total, ...times } = input.query;
      const filter = {
        ...times,
        agentId: readAgentFilter(agent_id),
        reason,
        decided: policy === undefined && rule === undefined ? undefined : { policy, rule },
        requestId: request_id,
        cursor: cursor && uuidOf('ref', cursor),
      };
      if (total) sayTotal(response, await countRefusals(db, filter));
      // One more than is shown, to know if there is a next page.
      const rows = await listRefusals(db, filter, limit + 1);
      replyWithPage(input, response, rows, presentRefusal, ({ id }) => toPublicId('ref', id));
    },
  }),
]);
