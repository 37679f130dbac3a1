import { agentTokenInputSchema, type CreatedAgentToken, createdAgentTokenSchema } from '@agp/core/contracts';
import { createAgentToken } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { issueSecret } from '../../keys/issue-secret.ts';
import { presentAgentToken } from '../../presenters/present-agent-token.ts';
import { parseExpiry } from '../../requests/parse-expiry.ts';

export const createAgentTokenRoute = defineRoute({
  method: 'post',
  path: '/api/v1/agent-tokens',
  scope: 'admin',
  tag: 'Agent tokens',
  summary: 'Make a token for an agent: its name works with a token alone from then on',
  body: agentTokenInputSchema,
  answer: { status: 201, description: 'The token, with its secret', schema: createdAgentTokenSchema },
  errors: [],
  handle: async (input, response, context) => {
    const { body } = input;
    const expiresAt = parseExpiry(body.expires_at);
    const { id, secret, secretSha256 } = issueSecret('agp_');
    const token = await recordChange(context, input, 'agent_token.create', async (transaction) => {
      const stored = await createAgentToken(transaction, { id, agentName: body.agent_name, secretSha256, expiresAt });
      const result = presentAgentToken(stored);
      return { result, agentId: null, target: result.id, before: null, after: result };
    });
    response.status(201).json({ ...token, secret } satisfies CreatedAgentToken);
  },
});
