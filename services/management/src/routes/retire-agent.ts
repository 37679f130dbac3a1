import { type RetiredAgent, retiredAgentSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { fromPublicId, toPublicId } from '@agp/core/ids';
import { updateAgent } from '@agp/db';
import { defineRoute } from '../define-route.ts';
import { agentIdParameter } from '../parameters.ts';

export const retireAgentRoute = defineRoute({
  method: 'post',
  path: '/api/v1/agents/{id}/retire',
  scope: 'write',
  tag: 'Agents',
  summary: 'Retire an agent; a body is ignored',
  params: agentIdParameter,
  answer: { status: 200, description: 'The agent is retired', schema: retiredAgentSchema },
  errors: ['agent_not_found'],
  handle: async ({ params }, response, { db }) => {
    const id = fromPublicId('agt', params.id);
    const agent = id === null ? undefined : await updateAgent(db, id, { status: 'retired' });
    if (agent === undefined) throw new ApiError('agent_not_found');
    response.json({
      id: toPublicId('agt', agent.id),
      status: 'retired',
      updated_at: agent.updated_at.toISOString(),
    } satisfies RetiredAgent);
  },
});
