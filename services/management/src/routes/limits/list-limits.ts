import { limitListSchema, wholeListQuerySchema } from '@agp/core/contracts';
import { listAgentLimits, readControl } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentAgentLimit } from '../../presenters/present-limit.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';

export const listLimitsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/limits',
  scope: 'read',
  tag: 'Limits',
  summary: 'How many requests a minute agents may make: new ones, and each, oldest first',
  query: wholeListQuerySchema,
  answer: { status: 200, description: 'The limits', schema: limitListSchema },
  errors: [],
  handle: async ({ query }, response, { db }) => {
    const { default_requests_per_minute: limit } = await readControl(db);
    const framing = { before: `{"default_requests_per_minute":${limit},"agents":[`, after: ']}' };
    await replyWithList(response, listAgentLimits(db, query), presentAgentLimit, framing);
  },
});
