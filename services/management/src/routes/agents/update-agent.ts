import { agentSchema, agentUpdateSchema } from '@agp/core/contracts';
import { changeAgent } from '../../changes/change-agent.ts';
import { defineRoute } from '../../define-route.ts';
import { presentAgent } from '../../presenters/present-agent.ts';
import { agentIdParameter } from '../../requests/parameters.ts';

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
  handle: async (input, response, context) => {
    response.json(presentAgent(await changeAgent(context, input, 'agent.update', input.body)));
  },
});
