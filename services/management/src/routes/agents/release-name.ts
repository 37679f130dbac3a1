import { isPrintableText, maxAgentNameLength } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { releaseName } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { claimedNameParameter } from '../../requests/parameters.ts';

export const releaseNameRoute = defineRoute({
  method: 'delete',
  path: '/api/v1/claimed-names/{name}',
  scope: 'admin',
  tag: 'Agent tokens',
  summary: 'Give a claimed name back: any agent may declare it again, where agents declare their names',
  params: claimedNameParameter,
  answer: { status: 204, description: 'The name is free' },
  errors: ['claimed_name_not_found', 'name_has_tokens'],
  handle: async (input, response, context) => {
    const { name } = input.params;
    await recordChange(context, input, 'name.release', async (transaction) => {
      const isName = isPrintableText(name, maxAgentNameLength);
      const outcome = isName ? await releaseName(transaction, name) : 'unknown';
      if (outcome === 'unknown') throw new ApiError('claimed_name_not_found');
      if (outcome === 'has_tokens') throw new ApiError('name_has_tokens');
      return { result: null, agentId: null, target: name, before: { name }, after: null };
    });
    response.status(204).end();
  },
});
