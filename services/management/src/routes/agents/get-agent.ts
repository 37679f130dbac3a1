import { agentSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { readAgent } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentAgent } from '../../presenters/present-agent.ts';
import { agentIdParameter } from '../../requests/parameters.ts';

export const getAgentRoute = defineRoute({
  method: 'get',
  path: '/api/v1/agents/{id}',
  scope: 'read',
  tag: 'Agents',
  summary: 'One agent',
  params: agentIdParameter,
  answer: { status: 200, description: 'The agent', schema: agentSchema },
  errors: ['agent_not_found'],
  handle: async ({ params }, response, { db }) => {
    const id = fromPublicId('agt', params.id);
    const agent = id === null ? undefined : await readAgent(db, id);
    if (agent === undefined) throw new ApiError('agent_not_found');
    response.json(presentAgent(agent));
  },
});
