import { agentTokenInputSchema, type CreatedAgentToken, createdAgentTokenSchema } from '@agp/core/contracts';
import { createAgentToken } from '@agp/db';
import { defineRoute } from '../define-route.ts';
import { issueSecret } from '../issue-secret.ts';
import { parseExpiry } from '../parse-expiry.ts';
import { presentAgentToken } from '../presenters/present-agent-token.ts';

export const createAgentTokenRoute = defineRoute({
  method: 'post',
  path: '/api/v1/agent-tokens',
  scope: 'admin',
  tag: 'Agent tokens',
  summary: 'Make a token for an agent: its name works with a token alone from then on',
  body: agentTokenInputSchema,
  answer: { status: 201, description: 'The token, with its secret', schema: createdAgentTokenSchema },
  errors: [],
  handle: async ({ body }, response, { db }) => {
    const expiresAt = parseExpiry(body.expires_at);
    const { id, secret, secretSha256 } = issueSecret('agp_');
    const token = await createAgentToken(db, { id, agentName: body.agent_name, secretSha256, expiresAt });
    response.status(201).json({ ...presentAgentToken(token), secret } satisfies CreatedAgentToken);
  },
});
