import { agentTokenListSchema } from '@agp/core/contracts';
import { listAgentTokens } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentAgentToken } from '../../presenters/present-agent-token.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';

export const listAgentTokensRoute = defineRoute({
  method: 'get',
  path: '/api/v1/agent-tokens',
  scope: 'admin',
  tag: 'Agent tokens',
  summary: 'All agent tokens, oldest first, without their secrets',
  answer: { status: 200, description: 'The tokens', schema: agentTokenListSchema },
  errors: [],
  handle: (_input, response, { db }) => replyWithList(response, listAgentTokens(db), presentAgentToken),
});
