import {
  type BudgetDefinition,
  budgetPreviewSchema,
  budgetSchema,
  explainedBudgetListSchema,
  maxBudgets,
  maxBudgetsOfTeam,
  type StoredBudget,
  storedBudgetListSchema,
  storedBudgetSchema,
} from '@agp/budgets';
import type { AuditAction } from '@agp/core/audit';
import { type DocumentRow, listDocuments, readAgent, readDocument } from '@agp/db';
import { z } from 'zod';
import { type Change, recordChange } from '../changes.ts';
import { type Context, defineRoute, tagRoutes } from '../define-route.ts';
import { documentRoutes } from '../document-routes.ts';
import { readYaml, writeDocument } from '../policy-text.ts';
import { assureHeld, explainBudgets, presentBudgets, previewBudget } from '../reads/budgets.ts';
import { agentId, budgetId, found } from '../requests.ts';

/** Has what the budget counts summed up, if that is another: requests are held to it as soon as it is. */
async function changeAndCount(
  context: Context,
  input: Parameters<typeof recordChange>[1],
  action: AuditAction,
  change: (transaction: Context['db']) => Promise<Change<DocumentRow<'budget'>>>,
): Promise<DocumentRow<'budget'>> {
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
  return found(await readDocument(context.db, 'budget', row.id), 'budget_not_found');
}

const explainQuerySchema = z.object({
  agent_id: z.string().meta({ description: 'Whose request it would be' }),
  model: z.string().max(256).optional().meta({ description: 'Any model if absent' }),
  provider: z.string().max(128).optional().meta({ description: 'Any provider if absent' }),
  compliance_tag: z.string().max(128).optional().meta({ description: "The agent's own, or `default`, if absent" }),
});

/** Budgets by label, model, tag, month or session; the customer's daily caps are apart. */
export const namedBudgetRoutes = tagRoutes('Budgets', [
  defineRoute('GET /api/v1/budgets/explain', {
    summary: 'The budgets that count a request of an agent; all that refuse must have room for it',
    query: explainQuerySchema,
    answer: { description: 'The budgets, and what is used of them', schema: explainedBudgetListSchema },
    errors: ['agent_not_found', 'reservations_unavailable'],
    handle: async ({ query }, { db, reservations }) => {
      const id = found(agentId.read(query.agent_id), 'agent_not_found');
      const agent = found(await readAgent(db, id), 'agent_not_found');
      const { model = null, provider = null, compliance_tag: tag = null } = query;
      return explainBudgets(db, reservations, await listDocuments(db, 'budget'), { agent, model, provider, tag });
    },
  }),
  defineRoute('POST /api/v1/budgets/preview', {
    isRead: true,
    summary: 'Whom a budget would count, and what its window holds already by the records; changes nothing',
    body: budgetSchema,
    answer: { description: 'Whom, and how much', schema: budgetPreviewSchema },
    handle: ({ body }, { db }) => previewBudget(db, body),
  }),
  ...documentRoutes<'budget', BudgetDefinition, StoredBudget>({
    ...{ kind: 'budget', action: 'budget', path: '/api/v1/budgets', listPath: '/api/v1/budgets/list' },
    ...{ prefix: 'bud', id: budgetId, unknown: 'budget_not_found' },
    ...{ schema: budgetSchema, shown: storedBudgetSchema, listShown: storedBudgetListSchema },
    says: {
      ...{ noun: 'The budget', nouns: 'The budgets', one: 'One budget' },
      list: 'All budgets beside the daily caps, by name, with what is used of each',
      make: 'Make a budget: it holds once what its window holds is summed up from the records',
      replace:
        'Replace a budget: another amount holds from the next request on; if it counts something else, it is counted anew from the records first',
      remove: 'Remove a budget: it holds for no further request',
    },
    errors: {
      ...{ list: ['reservations_unavailable'], one: ['reservations_unavailable'] },
      make: ['budget_name_taken', 'too_many_budgets', 'reservations_unavailable'],
      replace: ['budget_name_taken', 'reservations_unavailable'],
    },
    ...{ most: maxBudgets, mostOfTeam: maxBudgetsOfTeam },
    describe: ({ version, budget }) => ({ version, budget }),
    present: ({ db, reservations }, rows) => presentBudgets(db, reservations, rows),
    readText: readYaml(budgetSchema, 'budget'),
    write: (input, _context, stored) =>
      writeDocument(input, budgetSchema, stored && { said: stored.budget, text: stored.text }),
    change: changeAndCount,
  }),
]);
