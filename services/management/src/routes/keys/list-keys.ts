import { apiKeyListSchema } from '@agp/core/contracts';
import { listApiKeys } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentApiKey } from '../../presenters/present-api-key.ts';

export const listKeysRoute = defineRoute({
  method: 'get',
  path: '/api/v1/keys',
  scope: 'admin',
  tag: 'Keys',
  summary: 'All API keys, oldest first, without their secrets',
  answer: { status: 200, description: 'The keys', schema: apiKeyListSchema },
  errors: [],
  handle: async (_input, response, { db }) => {
    response.json((await listApiKeys(db)).map(presentApiKey));
  },
});
