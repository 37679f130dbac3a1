import { apiKeyInputSchema, type CreatedApiKey, createdApiKeySchema } from '@agp/core/contracts';
import { createApiKey } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { issueSecret } from '../../keys/issue-secret.ts';
import { presentApiKey } from '../../presenters/present-api-key.ts';
import { parseExpiry } from '../../requests/parse-expiry.ts';

export const createKeyRoute = defineRoute({
  method: 'post',
  path: '/api/v1/keys',
  scope: 'admin',
  tag: 'Keys',
  summary: 'Make an API key',
  body: apiKeyInputSchema,
  answer: { status: 201, description: 'The key, with its secret', schema: createdApiKeySchema },
  errors: [],
  handle: async (input, response, context) => {
    const { body } = input;
    const expiresAt = parseExpiry(body.expires_at);
    const { id, secret, secretSha256 } = issueSecret('agm_');
    const key = await recordChange(context, input, 'key.create', async (transaction) => {
      const { name, scopes } = body;
      const result = presentApiKey(await createApiKey(transaction, { id, name, secretSha256, scopes, expiresAt }));
      return { result, agentId: null, target: result.id, before: null, after: result };
    });
    response.status(201).json({ ...key, secret } satisfies CreatedApiKey);
  },
});
