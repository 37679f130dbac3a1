import { agentSchema, agentUpdateSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { updateAgent } from '@agp/db';
import { defineRoute } from '../define-route.ts';
import { agentIdParameter } from '../parameters.ts';
import { presentAgent } from '../presenters/present-agent.ts';

export const updateAgentRoute = defineRoute({
  method: 'put',
  path: '/api/v1/agents/{id}',
  scope: 'write',
  tag: 'Agents',
  summary: 'Block, unblock or retire an agent, or replace its metadata',
  params: agentIdParameter,
  body: agentUpdateSchema,
  answer: { status: 200, description: 'The agent as it is stored now', schema: agentSchema },
  errors: ['agent_not_found'],
  handle: async ({ params, body }, response, { db }) => {
    const id = fromPublicId('agt', params.id);
    const agent = id === null ? undefined : await updateAgent(db, id, body);
    if (agent === undefined) throw new ApiError('agent_not_found');
    response.json(presentAgent(agent));
  },
});
