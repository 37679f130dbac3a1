import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { deleteAgentToken } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';
import { presentAgentToken } from '../../presenters/present-agent-token.ts';
import { agentTokenIdParameter } from '../../requests/parameters.ts';

export const deleteAgentTokenRoute = defineRoute({
  method: 'delete',
  path: '/api/v1/agent-tokens/{id}',
  scope: 'admin',
  tag: 'Agent tokens',
  summary: 'Revoke an agent token: the next request with it is refused, and its name stays claimed',
  params: agentTokenIdParameter,
  answer: { status: 204, description: 'The token is gone' },
  errors: ['agent_token_not_found'],
  handle: async (input, response, context) => {
    const target = input.params.id;
    await recordChange(context, input, 'agent_token.delete', async (transaction) => {
      const id = fromPublicId('tok', target);
      const token = id === null ? undefined : await deleteAgentToken(transaction, id);
      if (token === undefined) throw new ApiError('agent_token_not_found');
      return { result: null, agentId: null, target, before: presentAgentToken(token), after: null };
    });
    response.status(204).end();
  },
});
