import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { deleteApiKey } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { presentApiKey } from '../../presenters/present-api-key.ts';
import { keyIdParameter } from '../../requests/parameters.ts';

export const deleteKeyRoute = defineRoute({
  method: 'delete',
  path: '/api/v1/keys/{id}',
  scope: 'admin',
  tag: 'Keys',
  summary: 'Delete an API key: the next request with it fails',
  params: keyIdParameter,
  answer: { status: 204, description: 'The key is gone' },
  errors: ['key_not_found', 'bootstrap_key'],
  handle: async (input, response, context) => {
    const target = input.params.id;
    await recordChange(context, input, 'key.delete', async (transaction) => {
      const id = fromPublicId('key', target);
      const outcome = id === null ? 'unknown' : await deleteApiKey(transaction, id);
      if (outcome === 'unknown') throw new ApiError('key_not_found');
      if (outcome === 'bootstrap') throw new ApiError('bootstrap_key');
      return { result: null, agentId: null, target, before: presentApiKey(outcome), after: null };
    });
    response.status(204).end();
  },
});
