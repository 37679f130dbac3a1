import { type RetiredAgent, retiredAgentSchema } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { changeAgent } from '../../changes/change-agent.ts';
import { defineRoute } from '../../define-route.ts';
import { agentIdParameter } from '../../requests/parameters.ts';

export const retireAgentRoute = defineRoute({
  method: 'post',
  path: '/api/v1/agents/{id}/retire',
  scope: 'write',
  tag: 'Agents',
  summary: 'Retire an agent; a body is ignored',
  params: agentIdParameter,
  answer: { status: 200, description: 'The agent is retired', schema: retiredAgentSchema },
  errors: ['agent_not_found'],
  handle: async (input, response, context) => {
    const agent = await changeAgent(context, input, 'agent.retire', { status: 'retired' });
    response.json({
      id: toPublicId('agt', agent.id),
      status: 'retired',
      updated_at: agent.updated_at.toISOString(),
    } satisfies RetiredAgent);
  },
});
