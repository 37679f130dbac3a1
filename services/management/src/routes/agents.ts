import {
  agentEventListQuerySchema,
  agentEventListSchema,
  agentLabelListQuerySchema,
  agentLabelListSchema,
  agentListQuerySchema,
  agentListSchema,
  agentOverviewSchema,
  agentSchema,
  agentUpdateSchema,
  retiredAgentSchema,
} from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import { adoptAgent, agentExists, listAgentLabels, listAgents, listTools, readAgent } from '@agp/db';
import { adoptedSchema, adoptionSchema } from '@agp/identities';
import { agentToolListSchema } from '@agp/policy';
import { changeAgent, recordChange, tellVersion } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentAgentEvent, presentListedAgent, presentRow } from '../presenters.ts';
import { readAgentOverview } from '../reads/reads.ts';
import { makeEventsCsv, replyWithEvents, replyWithList } from '../replies.ts';
import { agentId, found, parseFuture, today } from '../requests.ts';

const toolsMs = 30 * 86_400_000;

export const agentRoutes = tagRoutes('Agents', [
  defineRoute('GET /api/v1/agents', {
    summary: 'All agents, oldest first unless asked otherwise',
    query: agentListQuerySchema,
    answer: { description: 'The agents', schema: agentListSchema },
    handle: ({ query }, { db }, response) =>
      replyWithList(
        response,
        listAgents(db, query, query, { day: today(), withUsage: query.expand === 'usage', order: query.order }),
        presentListedAgent,
      ),
  }),
  defineRoute('GET /api/v1/agents/labels', {
    summary: 'Labels that agents have, those of the most agents first',
    query: agentLabelListQuerySchema,
    answer: { description: '200 at most, without notes and those longer than a filter', schema: agentLabelListSchema },
    handle: ({ query }, { db }) => listAgentLabels(db, query.search),
  }),
  defineRoute('GET /api/v1/agents/{id}', {
    summary: 'One agent',
    isVersioned: true,
    params: { id: agentId },
    answer: { description: 'The agent', schema: agentSchema },
    handle: async ({ params }, { db }, response) => {
      const agent = presentRow(found(await readAgent(db, params.id), 'agent_not_found'), 'agt');
      return tellVersion(response, agent.updated_at, agent);
    },
  }),
  defineRoute('PUT /api/v1/agents/{id}', {
    summary: 'Block, unblock or retire an agent, change its labels, or replace its metadata',
    isVersioned: true,
    params: { id: agentId },
    body: agentUpdateSchema,
    answer: { description: 'The agent as it is stored now', schema: agentSchema },
    handle: async (input, context) => {
      const { blocked_until: until, ...change } = input.body;
      const blocked_until = parseFuture('blocked_until', until) ?? undefined;
      return presentRow(await changeAgent(context, input, 'agent.update', { ...change, blocked_until }), 'agt');
    },
  }),
  defineRoute('POST /api/v1/agents/{id}/retire', {
    summary: 'Retire an agent; a body is ignored',
    isVersioned: true,
    params: { id: agentId },
    answer: { description: 'The agent is retired', schema: retiredAgentSchema },
    handle: async (input, context) => {
      const { id, updated_at } = await changeAgent(context, input, 'agent.retire', { status: 'retired' });
      return presentRow({ id, status: 'retired' as const, updated_at }, 'agt');
    },
  }),
  defineRoute('POST /api/v1/agents/{id}/adopt', {
    ofInstallation: true,
    scope: 'admin',
    summary:
      "Make an agent an issuer's workload from the next request on: its history stays, and tokens of its name go on",
    params: { id: agentId },
    body: adoptionSchema,
    answer: { description: 'What the agent is now', schema: adoptedSchema },
    errors: ['identity_not_found', 'name_of_another_agent', 'agent_has_workload'],
    handle: (input, context) =>
      recordChange(context, input, 'agent.adopt', async (transaction) => {
        const { params, body } = input;
        const adopted = await adoptAgent(transaction, params.id, body);
        if (typeof adopted === 'string') throw new ApiError(adopted);
        if ('issuer' in adopted)
          throw new ApiError('agent_has_workload', `the agent is ${adopted.name} of ${adopted.issuer} already`);
        const target = toPublicId('agt', params.id);
        const { identity, name } = body;
        const after = { identity, name };
        return {
          result: { agent_id: target, agent_name: adopted.agentName, ...after },
          agentId: target,
          target,
          after,
        };
      }),
  }),
  defineRoute('GET /api/v1/agents/{id}/overview', {
    summary: 'One agent with what it used and did lately, and what was done about it',
    params: { id: agentId },
    answer: { description: 'The agent and more', schema: agentOverviewSchema },
    handle: ({ params }, { db, reservations }) => readAgentOverview(db, reservations, params.id),
  }),
  defineRoute('GET /api/v1/agents/{id}/tools', {
    summary: 'Tools that an agent declared and called, those called most first',
    params: { id: agentId },
    answer: {
      description: 'Tools of its latest 5,000 events of the last 30 days, 500 at most',
      schema: agentToolListSchema,
    },
    handle: async ({ params }, { db }) => {
      found((await agentExists(db, params.id)) || null, 'agent_not_found');
      const tools = await listTools(db, params.id, new Date(Date.now() - toolsMs));
      return tools.map((tool) => presentRow(tool));
    },
  }),
  defineRoute('GET /api/v1/agents/{id}/events', {
    summary: 'Events of one agent, newest first',
    params: { id: agentId },
    query: agentEventListQuerySchema,
    answer: {
      description: 'One page of events',
      schema: agentEventListSchema,
      paged: true,
      csv: makeEventsCsv(agentEventListSchema.element),
    },
    handle: async (input, { db }, response) => {
      found((await agentExists(db, input.params.id)) || null, 'agent_not_found');
      await replyWithEvents(input, response, db, { agentId: input.params.id }, presentAgentEvent);
    },
  }),
]);
