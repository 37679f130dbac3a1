import { apiKeyInputSchema, type CreatedApiKey, createdApiKeySchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { createApiKey } from '@agp/db';
import { defineRoute } from '../define-route.ts';
import { issueSecret } from '../issue-secret.ts';
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
    const expiresAt = body.expires_at ? new Date(body.expires_at) : null;
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
      throw new ApiError('invalid_parameter', 'expires_at: must lie in the future');
    }
    const { id, secret, secretSha256 } = issueSecret();
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
