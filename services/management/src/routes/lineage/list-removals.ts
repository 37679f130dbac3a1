import { anchorListSchema } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { listAnchors, noRemoval } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';

export const listRemovalsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/lineage/removals',
  scope: 'read',
  tag: 'Lineage',
  summary: 'All that retention keeps of what it removed, for holding it against the audit log',
  answer: {
    status: 200,
    description: 'By removal, within one by session and place, as its Merkle root covers them',
    schema: anchorListSchema,
  },
  errors: [],
  handle: (_input, response, { db }) =>
    replyWithList(response, listAnchors(db), ({ removal, ...anchor }) => ({
      removal: removal === noRemoval ? null : toPublicId('rem', removal),
      ...anchor,
    })),
});
