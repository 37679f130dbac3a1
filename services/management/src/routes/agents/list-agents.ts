import { agentListQuerySchema, agentListSchema } from '@agp/core/contracts';
import { listAgents } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentAgent } from '../../presenters/present-agent.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';

export const listAgentsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/agents',
  scope: 'read',
  tag: 'Agents',
  summary: 'All agents, oldest first',
  query: agentListQuerySchema,
  answer: { status: 200, description: 'The agents', schema: agentListSchema },
  errors: [],
  handle: ({ query }, response, { db }) =>
    replyWithList(response, listAgents(db, { status: query.status }, query), presentAgent),
});
