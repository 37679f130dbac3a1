import { apiKeyInputSchema, type CreatedApiKey, createdApiKeySchema } from '@agp/core/contracts';
import { createApiKey } from '@agp/db';
import { defineRoute } from '../define-route.ts';
import { issueSecret } from '../issue-secret.ts';
import { parseExpiry } from '../parse-expiry.ts';
import { presentApiKey } from '../presenters/present-api-key.ts';

export const createKeyRoute = defineRoute({
  method: 'post',
  path: '/api/v1/keys',
  scope: 'admin',
  tag: 'Keys',
  summary: 'Make an API key',
  body: apiKeyInputSchema,
  answer: { status: 201, description: 'The key, with its secret', schema: createdApiKeySchema },
  errors: [],
  handle: async ({ body }, response, { db }) => {
    const expiresAt = parseExpiry(body.expires_at);
    const { id, secret, secretSha256 } = issueSecret('agm_');
    const key = await createApiKey(db, {
      id,
      name: body.name,
      secretSha256,
      scopes: body.scopes,
      expiresAt,
    });
    response.status(201).json({ ...presentApiKey(key), secret } satisfies CreatedApiKey);
  },
});
