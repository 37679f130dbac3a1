import {
  billedDays,
  type CostUsageQuery,
  costBreakdownSchema,
  costSummarySchema,
  costUsageQuerySchema,
  costUsageSchema,
  doubtfulUsageListSchema,
  expectUsage,
  listUsageMembers,
  reconciledRowSchema,
  reconciliationQuerySchema,
  reconciliationSchema,
  unpricedModelListSchema,
  unrecordedListQuerySchema,
  unrecordedRequestListSchema,
  unrecordedRequestSchema,
} from '@agp/core/contracts';
import {
  listAgentCosts,
  listDoubtfulUsage,
  listReconciled,
  listUnpricedModels,
  listUnrecorded,
  listUsage,
  readUnrecorded,
  summarizeCosts,
  type UsageRow,
} from '@agp/db';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentRow, presentUnrecordedRequest, presentUsage } from '../presenters.ts';
import { listBills } from '../reads/bills.ts';
import { csvOf, frameList, replyWithList } from '../replies.ts';
import { eventId, found, readAgentFilter } from '../requests.ts';

export const costRoutes = tagRoutes('Costs', [
  defineRoute('GET /api/v1/costs/summary', {
    summary: 'Usage and cost of all agents together',
    answer: { description: 'The totals', schema: costSummarySchema, csv: { name: 'costs-summary' } },
    handle: async (_input, { db }) => presentRow(await summarizeCosts(db)),
  }),
  defineRoute('GET /api/v1/costs/breakdown', {
    summary: 'Usage and cost of each agent, the costliest first',
    answer: {
      description: 'One entry for each agent with recorded events',
      schema: costBreakdownSchema,
      csv: { name: 'costs-breakdown' },
    },
    handle: async (_input, { db }) => (await listAgentCosts(db)).map((row) => presentRow(row)),
  }),
  defineRoute('GET /api/v1/costs/usage', {
    summary: 'Usage and cost of a range of time, by hour or day, agent, model, provider, compliance tag and labels',
    query: costUsageQuerySchema,
    answer: {
      description:
        'All groups with usage, in the order of what they are grouped by. Hours and days are UTC. The sums are exact and equal those ' +
        'of the other cost endpoints. Hours older than the retention are summed into the first hour of their day. Models beyond ' +
        '200 an agent and day, and tags beyond 100 an agent, hour and set of labels, are `other`. Usage that an earlier version recorded has no labels. Failures and durations of calls ' +
        'that 0.3.0 recorded, and times to their first byte, are not known and count as none.',
      schema: costUsageSchema,
      csv: {
        name: 'costs-usage',
        columns: (query) => listUsageMembers(query as CostUsageQuery),
      },
    },
    handle: async ({ query }, { db }, response) => {
      const { agent_id, group_by: groups = [], ...range } = query;
      const { from = null, to = null } = range;
      const present = csvOf(response) ? (row: UsageRow) => presentRow(row) : presentUsage;
      const head = { from, to, time_zone: 'UTC', group_by: groups };
      await replyWithList(
        response,
        listUsage(db, { groups, ...range, agentId: readAgentFilter(agent_id) }),
        (row) => ({ ...present(row), expected_cost_usd: expectUsage(row.total_cost_usd, query) ?? undefined }),
        frameList(head, 'usage'),
      );
    },
  }),
  defineRoute('GET /api/v1/costs/reconciliation', {
    summary: 'What providers billed beside what is recorded, by day and model, with the causes of each gap',
    ofInstallation: true,
    query: reconciliationQuerySchema,
    answer: {
      description:
        `What was stored when each bill was read last, each night of the ${billedDays} days before it. Days are UTC. The causes explain a gap in ` +
        'this order, each at most what is left of it. Amounts are exact.',
      schema: reconciliationSchema,
      csv: { name: 'costs-reconciliation', columns: () => Object.keys(reconciledRowSchema.shape) },
    },
    handle: async ({ query }, { db, config }, response) => {
      const { from = null, to = null } = query;
      const head = { from, to, time_zone: 'UTC', bills: await listBills(db, config) };
      await replyWithList(response, listReconciled(db, query), (row) => row, frameList(head, 'rows'));
    },
  }),
  defineRoute('GET /api/v1/costs/unpriced', {
    summary: 'Models and units that were used without a known price, the most requested first',
    answer: {
      description: 'One entry for each provider, model and unit',
      schema: unpricedModelListSchema,
      csv: { name: 'costs-unpriced' },
    },
    handle: async (_input, { db }) => (await listUnpricedModels(db)).map((row) => presentRow(row)),
  }),
  defineRoute('GET /api/v1/costs/doubtful', {
    summary: 'Calls whose recorded figures are in doubt, with the figures claimed, newest first',
    query: unrecordedListQuerySchema,
    answer: { description: 'One page of calls', schema: doubtfulUsageListSchema, csv: { name: 'costs-doubtful' } },
    handle: async ({ query }, { db }) => {
      const filter = { ...query, agentId: readAgentFilter(query.agent_id) };
      return (await listDoubtfulUsage(db, filter, query)).map((row) => presentRow(row));
    },
  }),
  defineRoute('GET /api/v1/costs/unrecorded', {
    summary:
      'Requests that were forwarded and are not recorded, with the cost that counts in the budgets of their day, newest first',
    query: unrecordedListQuerySchema,
    answer: {
      description: 'One page of requests',
      schema: unrecordedRequestListSchema,
      csv: { name: 'costs-unrecorded' },
    },
    handle: async ({ query }, { db }) => {
      const filter = { ...query, agentId: readAgentFilter(query.agent_id) };
      return (await listUnrecorded(db, filter, query)).map(presentUnrecordedRequest);
    },
  }),
  defineRoute('GET /api/v1/costs/unrecorded/{id}', {
    summary: 'One request that was forwarded and is not recorded, by the id of the event that it should have',
    params: { id: eventId },
    answer: { description: 'The request', schema: unrecordedRequestSchema },
    handle: async ({ params }, { db }) =>
      presentUnrecordedRequest(found(await readUnrecorded(db, params.id), 'event_not_found')),
  }),
]);
