import { claimedNameListSchema } from '@agp/core/contracts';
import { listClaimedNames } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentClaimedName } from '../../presenters/present-claimed-name.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';

export const listClaimedNamesRoute = defineRoute({
  method: 'get',
  path: '/api/v1/claimed-names',
  scope: 'admin',
  tag: 'Agent tokens',
  summary: 'All names that work with an agent token alone, by name',
  answer: { status: 200, description: 'The names', schema: claimedNameListSchema },
  errors: [],
  handle: (_input, response, { db }) => replyWithList(response, listClaimedNames(db), presentClaimedName),
});
