import {
  budgetPreviewSchema,
  budgetSchema,
  explainedBudgetListSchema,
  maxBudgets,
  maxBudgetsOfTeam,
  storedBudgetListSchema,
  storedBudgetSchema,
} from '@agp/budgets';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import {
  createBudget,
  deleteBudget,
  listBudgets,
  readAgent,
  readBudget,
  replaceBudget,
  type StoredBudgetRow,
} from '@agp/db';
import { z } from 'zod';
import { type Change, recordChange, tellVersion } from '../changes.ts';
import { type Context, defineRoute, tagRoutes } from '../define-route.ts';
import { assureHeld, explainBudgets, presentBudgets, previewBudget } from '../reads/budgets.ts';
import { agentId, budgetId, found } from '../requests.ts';
import { assureRoom, joinTeam, toQuota } from '../teams.ts';

const describe = ({ version, budget }: StoredBudgetRow) => ({ version, budget });

type ChangeInput = Parameters<typeof recordChange>[1];

/** Has what the budget counts summed up, if that is another: requests are held to it as soon as it is. */
async function changeAndCount(
  context: Context,
  input: ChangeInput,
  action: 'budget.create' | 'budget.update',
  change: (transaction: Context['db']) => Promise<Change<StoredBudgetRow>>,
) {
  // Unknown amounts must not look like none once the change is made.
  await assureHeld(context.reservations);
  const snapshot = await context.counter.open();
  let isTaken = false;
  const changing = recordChange(context, input, action, async (transaction) => {
    const changed = await change(transaction);
    isTaken = snapshot !== null && changed.result.active_epoch !== changed.result.epoch;
    if (isTaken) await snapshot?.take(changed.result.id);
    return changed;
  });
  const row = await changing.catch(async (error) => {
    await context.counter.close(snapshot);
    throw error;
  });
  if (snapshot !== null && isTaken) await context.counter.count(snapshot, row);
  else await context.counter.close(snapshot);
  const now = found(await readBudget(context.db, row.id), 'budget_not_found');
  return (await presentBudgets(context.db, context.reservations, [now]))[0];
}

const explainQuerySchema = z.object({
  agent_id: z.string().meta({ description: 'Whose request it would be' }),
  model: z.string().max(256).optional().meta({ description: 'Any model if absent' }),
  provider: z.string().max(128).optional().meta({ description: 'Any provider if absent' }),
  compliance_tag: z.string().max(128).optional().meta({ description: "The agent's own, or `default`, if absent" }),
});

/** Budgets by label, model, tag, month or session; the customer's daily caps are apart. */
export const namedBudgetRoutes = tagRoutes('Budgets', [
  defineRoute('GET /api/v1/budgets/list', {
    summary: 'All budgets beside the daily caps, by name, with what is used of each',
    answer: { description: 'The budgets', schema: storedBudgetListSchema },
    errors: ['reservations_unavailable'],
    handle: async (_input, { db, reservations }) => presentBudgets(db, reservations, await listBudgets(db)),
  }),
  defineRoute('GET /api/v1/budgets/explain', {
    summary: 'The budgets that count a request of an agent; all that refuse must have room for it',
    query: explainQuerySchema,
    answer: { description: 'The budgets, and what is used of them', schema: explainedBudgetListSchema },
    errors: ['agent_not_found', 'reservations_unavailable'],
    handle: async ({ query }, { db, reservations }) => {
      const id = found(agentId.read(query.agent_id), 'agent_not_found');
      const agent = found(await readAgent(db, id), 'agent_not_found');
      const { model = null, provider = null, compliance_tag: tag = null } = query;
      return explainBudgets(db, reservations, await listBudgets(db), { agent, model, provider, tag });
    },
  }),
  defineRoute('POST /api/v1/budgets/preview', {
    isRead: true,
    summary: 'Whom a budget would count, and what its window holds already by the records; changes nothing',
    body: budgetSchema,
    answer: { description: 'Whom, and how much', schema: budgetPreviewSchema },
    handle: ({ body }, { db }) => previewBudget(db, body),
  }),
  defineRoute('POST /api/v1/budgets', {
    summary: 'Make a budget: it holds once what its window holds is summed up from the records',
    body: budgetSchema,
    answer: { status: 201, description: 'The budget', schema: storedBudgetSchema },
    errors: ['budget_name_taken', 'too_many_budgets', 'reservations_unavailable'],
    handle: (input, context) =>
      changeAndCount(context, input, 'budget.create', async (transaction) => {
        const quota = toQuota(input.caller, maxBudgets, maxBudgetsOfTeam);
        const budget = joinTeam(input.body, input.caller?.match, budgetSchema);
        const row = assureRoom(await createBudget(transaction, budget, quota), quota);
        return { result: row, target: toPublicId('bud', row.id), after: describe(row) };
      }),
  }),
  defineRoute('GET /api/v1/budgets/{id}', {
    isVersioned: true,
    summary: 'One budget',
    params: { id: budgetId },
    answer: { description: 'The budget', schema: storedBudgetSchema },
    errors: ['reservations_unavailable'],
    handle: async ({ params }, { db, reservations }, response) => {
      const row = found(await readBudget(db, params.id), 'budget_not_found');
      const [budget] = await presentBudgets(db, reservations, [row]);
      return tellVersion(response, `${row.version}`, found(budget, 'budget_not_found'));
    },
  }),
  defineRoute('PUT /api/v1/budgets/{id}', {
    isVersioned: true,
    summary:
      'Replace a budget: another amount holds from the next request on; if it counts something else, it is counted anew from the records first',
    params: { id: budgetId },
    body: budgetSchema,
    answer: { description: 'The budget as it is now', schema: storedBudgetSchema },
    errors: ['budget_name_taken', 'reservations_unavailable'],
    handle: (input, context) =>
      changeAndCount(context, input, 'budget.update', async (transaction) => {
        const replaced = found(
          await replaceBudget(transaction, input.params.id, joinTeam(input.body, input.caller?.match, budgetSchema)),
          'budget_not_found',
        );
        if (typeof replaced === 'string') throw new ApiError(replaced);
        const { before, after } = replaced;
        const versions = { before: `${before.version}`, after: `${after.version}` };
        const target = toPublicId('bud', after.id);
        return { result: after, target, before: describe(before), after: describe(after), versions };
      }),
  }),
  defineRoute('DELETE /api/v1/budgets/{id}', {
    isVersioned: true,
    summary: 'Remove a budget: it holds for no further request',
    params: { id: budgetId },
    answer: { status: 204, description: 'The budget is gone' },
    handle: (input, context) =>
      recordChange(context, input, 'budget.delete', async (transaction) => {
        const row = found(await deleteBudget(transaction, input.params.id), 'budget_not_found');
        const versions = { before: `${row.version}` };
        return { result: undefined, target: toPublicId('bud', row.id), before: describe(row), versions };
      }),
  }),
]);
