import { type CreatedApiKey, createdApiKeySchema, keyRotationSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { rotateApiKey } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { issueSecret } from '../../keys/issue-secret.ts';
import { presentApiKey } from '../../presenters/present-api-key.ts';
import { keyIdParameter } from '../../requests/parameters.ts';

export const rotateKeyRoute = defineRoute({
  method: 'post',
  path: '/api/v1/keys/{id}/rotate',
  scope: 'admin',
  tag: 'Keys',
  summary: 'Give an API key a new secret; the old one may work on beside it for a while',
  params: keyIdParameter,
  body: keyRotationSchema,
  answer: { status: 200, description: 'The key, with its new secret', schema: createdApiKeySchema },
  errors: ['key_not_found', 'bootstrap_key', 'key_expired'],
  handle: async (input, response, context) => {
    const target = input.params.id;
    const overlapSeconds = input.body.overlap_seconds;
    const { secret, secretSha256 } = issueSecret('agm_');
    const key = await recordChange(context, input, 'key.rotate', async (transaction) => {
      const id = fromPublicId('key', target);
      const rotation = id === null ? 'unknown' : await rotateApiKey(transaction, { id, secretSha256, overlapSeconds });
      if (rotation === 'unknown') throw new ApiError('key_not_found');
      if (rotation === 'bootstrap') throw new ApiError('bootstrap_key');
      if (rotation === 'expired') throw new ApiError('key_expired');
      const after = presentApiKey(rotation.after);
      return { result: after, agentId: null, target, before: presentApiKey(rotation.before), after };
    });
    response.json({ ...key, secret } satisfies CreatedApiKey);
  },
});
