import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { deleteApiKey } from '@agp/db';
import { defineRoute } from '../define-route.ts';
import { keyIdParameter } from '../parameters.ts';

export const deleteKeyRoute = defineRoute({
  method: 'delete',
  path: '/api/v1/keys/{id}',
  scope: 'admin',
  tag: 'Keys',
  summary: 'Delete an API key: the next request with it fails',
  params: keyIdParameter,
  answer: { status: 204, description: 'The key is gone' },
  errors: ['key_not_found', 'bootstrap_key'],
  handle: async ({ params }, response, { db }) => {
    const id = fromPublicId('key', params.id);
    const outcome = id === null ? 'unknown' : await deleteApiKey(db, id);
    if (outcome === 'unknown') throw new ApiError('key_not_found');
    if (outcome === 'bootstrap') throw new ApiError('bootstrap_key');
    response.status(204).end();
  },
});
