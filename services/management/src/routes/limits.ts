import { type AgentLimit, type Limit, limitListSchema, limitSchema, wholeListQuerySchema } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import {
  type AgentLimitsRow,
  type ControlRow,
  listAgentLimits,
  readControl,
  updateAgentLimits,
  updateControl,
} from '@agp/db';
import { recordChange } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { replyWithList } from '../replies.ts';
import { agentId, found } from '../requests.ts';

const limitOf = ({ requests_per_minute }: AgentLimitsRow): Limit => ({ requests_per_minute });
const defaultLimit = (row: ControlRow): Limit => ({ requests_per_minute: row.default_requests_per_minute });
const toVersion = ({ requests_per_minute: rate }: Limit): string => `${rate ?? 'none'}`;
const toVersions = (before: Limit, after: Limit) => ({ before: toVersion(before), after: toVersion(after) });
const presentAgentLimit = (row: AgentLimitsRow): AgentLimit => ({
  agent_id: toPublicId('agt', row.id),
  agent_name: row.name,
  ...limitOf(row),
});

export const limitRoutes = tagRoutes('Limits', [
  defineRoute('GET /api/v1/limits', {
    summary: 'How many requests a minute agents may make: new ones, and each, oldest first',
    query: wholeListQuerySchema,
    answer: { description: 'The limits', schema: limitListSchema },
    handle: async ({ query }, { db }, response) => {
      const { default_requests_per_minute: limit } = await readControl(db);
      const framing = { before: `{"default_requests_per_minute":${limit},"agents":[`, after: ']}' };
      await replyWithList(response, listAgentLimits(db, query), presentAgentLimit, framing);
    },
  }),
  defineRoute('PUT /api/v1/limits/default', {
    ofInstallation: true,
    isVersioned: true,
    summary: 'Set the requests a minute that new agents are registered with; those that are registered keep theirs',
    body: limitSchema,
    answer: { description: 'The limit as it is now', schema: limitSchema },
    handle: (input, context) =>
      recordChange(context, input, 'limit.default.set', async (transaction) => {
        const change = { default_requests_per_minute: input.body.requests_per_minute };
        const changed = await updateControl(transaction, change);
        const [before, after] = [defaultLimit(changed.before), defaultLimit(changed.after)];
        return { result: after, before, after, versions: toVersions(before, after) };
      }),
  }),
  defineRoute('PUT /api/v1/limits/agents/{id}', {
    isVersioned: true,
    summary: 'Set how many requests a minute an agent may make: it holds from the next request on',
    params: { id: agentId },
    body: limitSchema,
    answer: { description: 'The limit as it is now', schema: limitSchema },
    handle: (input, context) =>
      recordChange(context, input, 'limit.agent.set', async (transaction) => {
        const changed = found(await updateAgentLimits(transaction, input.params.id, input.body), 'agent_not_found');
        const [before, after] = [limitOf(changed.before), limitOf(changed.after)];
        const target = toPublicId('agt', input.params.id);
        return { result: after, agentId: target, target, before, after, versions: toVersions(before, after) };
      }),
  }),
]);
