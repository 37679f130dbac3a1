import {
  type ApiKey,
  apiKeyInputSchema,
  apiKeyListSchema,
  createdApiKeySchema,
  keyRotationSchema,
} from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { createApiKey, deleteApiKey, listApiKeys, rotateApiKey, servesTeams } from '@agp/db';
import { recordChange } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { issueSecret } from '../keys.ts';
import { presentApiKey } from '../presenters.ts';
import { keyId, parseFuture } from '../requests.ts';

const refusals = { unknown: 'key_not_found', bootstrap: 'bootstrap_key', expired: 'key_expired' } as const;

/** @throws ApiError if a query refused, saying why by a word */
function accepted<Outcome>(outcome: Outcome | keyof typeof refusals): Outcome {
  if (typeof outcome === 'string' && outcome in refusals)
    throw new ApiError(refusals[outcome as keyof typeof refusals]);
  return outcome as Outcome;
}

const toVersion = ({ rotated_at, created_at }: ApiKey): string => rotated_at ?? created_at;
const toVersions = (before: ApiKey, after?: ApiKey) => ({
  before: toVersion(before),
  ...(after && { after: toVersion(after) }),
});

export const keyRoutes = tagRoutes('Keys', [
  defineRoute('POST /api/v1/keys', {
    ofInstallation: true,
    scope: 'admin',
    summary: 'Make an API key',
    body: apiKeyInputSchema,
    answer: { status: 201, description: 'The key, with its secret', schema: createdApiKeySchema },
    errors: ['teams_not_served'],
    handle: async (input, context) => {
      const { name, scopes, expires_at, match = null } = input.body;
      const expiresAt = parseFuture('expires_at', expires_at);
      if (match !== null && !(await servesTeams(context.db))) throw new ApiError('teams_not_served');
      const { id, secret, secretSha256 } = issueSecret('agm_');
      const key = await recordChange(context, input, 'key.create', async (transaction) => {
        const created = await createApiKey(transaction, { id, name, secretSha256, scopes, expiresAt, match });
        const result = presentApiKey(created);
        return { result, target: result.id, after: result };
      });
      return { ...key, secret };
    },
  }),
  defineRoute('GET /api/v1/keys', {
    ofInstallation: true,
    scope: 'admin',
    summary: 'All API keys, oldest first, without their secrets',
    answer: { description: 'The keys', schema: apiKeyListSchema },
    handle: async (_input, { db }) => (await listApiKeys(db)).map(presentApiKey),
  }),
  defineRoute('POST /api/v1/keys/{id}/rotate', {
    ofInstallation: true,
    scope: 'admin',
    isVersioned: true,
    summary: 'Give an API key a new secret; the old one may still work for a while',
    params: { id: keyId },
    body: keyRotationSchema,
    answer: { description: 'The key, with its new secret', schema: createdApiKeySchema },
    errors: ['bootstrap_key', 'key_expired'],
    handle: async (input, context) => {
      const { id } = input.params;
      const overlapSeconds = input.body.overlap_seconds;
      const { secret, secretSha256 } = issueSecret('agm_');
      const key = await recordChange(context, input, 'key.rotate', async (transaction) => {
        const rotation = accepted(await rotateApiKey(transaction, { id, secretSha256, overlapSeconds }));
        const after = presentApiKey(rotation.after);
        const before = presentApiKey(rotation.before);
        return { result: after, target: after.id, before, after, versions: toVersions(before, after) };
      });
      return { ...key, secret };
    },
  }),
  defineRoute('DELETE /api/v1/keys/{id}', {
    ofInstallation: true,
    scope: 'admin',
    isVersioned: true,
    summary: 'Delete an API key: the next request with it fails',
    params: { id: keyId },
    answer: { status: 204, description: 'The key is gone' },
    errors: ['bootstrap_key'],
    handle: (input, context) =>
      recordChange(context, input, 'key.delete', async (transaction) => {
        const key = presentApiKey(accepted(await deleteApiKey(transaction, input.params.id)));
        return { result: undefined, target: key.id, before: key, versions: toVersions(key) };
      }),
  }),
]);
