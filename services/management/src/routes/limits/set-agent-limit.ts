import { type Limit, limitSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { updateAgentLimits } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { agentIdParameter } from '../../requests/parameters.ts';

export const setAgentLimitRoute = defineRoute({
  method: 'put',
  path: '/api/v1/limits/agents/{id}',
  scope: 'write',
  tag: 'Limits',
  summary: 'Set how many requests a minute an agent may make: it holds from the next request on',
  params: agentIdParameter,
  body: limitSchema,
  answer: { status: 200, description: 'The limit as it is now', schema: limitSchema },
  errors: ['agent_not_found'],
  handle: async (input, response, context) => {
    const agentId = input.params.id;
    const limit = await recordChange(context, input, 'limit.agent.set', async (transaction) => {
      const id = fromPublicId('agt', agentId);
      const changed = id === null ? undefined : await updateAgentLimits(transaction, id, input.body);
      if (changed === undefined) throw new ApiError('agent_not_found');
      const before: Limit = { requests_per_minute: changed.before.requests_per_minute };
      const after: Limit = { requests_per_minute: changed.after.requests_per_minute };
      return { result: after, agentId, target: agentId, before, after };
    });
    response.json(limit);
  },
});
