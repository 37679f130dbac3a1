import { type BudgetList, budgetListSchema, wholeListQuerySchema } from '@agp/core/contracts';
import {
  type Db,
  type HeldAmount,
  listAgentLimits,
  type PageRange,
  readAgentBudgets,
  readControl,
  readGlobalBudget,
} from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentAgentBudget, presentBudget } from '../../presenters/present-budget.ts';
import { readHeld } from '../../reads/read-held.ts';
import { replyWithList } from '../../replies/reply-with-list.ts';
import { today } from '../../requests/today.ts';

async function* listAgentBudgets(db: Db, day: string, held: readonly HeldAmount[], range: PageRange) {
  for await (const agents of listAgentLimits(db, range)) {
    const ids = agents.map(({ id }) => id);
    yield await readAgentBudgets(db, day, ids, held);
  }
}

export const listBudgetsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/budgets',
  scope: 'read',
  tag: 'Budgets',
  summary: 'The daily caps, and what of them is used today: of all agents together, and of each, oldest first',
  query: wholeListQuerySchema,
  answer: { status: 200, description: 'The budgets', schema: budgetListSchema },
  errors: ['reservations_unavailable'],
  handle: async ({ query }, response, { db, reservations }) => {
    const day = today();
    const { default_agent_cap_usd, default_warn_only } = await readControl(db);
    const held = await readHeld(reservations, day);
    const head: Omit<BudgetList, 'agents'> = {
      day,
      global: presentBudget(await readGlobalBudget(db, day, held)),
      default_agent_cap_usd,
      ...(default_warn_only && { default_warn_only }),
    };
    const framing = { before: `${JSON.stringify(head).slice(0, -1)},"agents":[`, after: ']}' };
    await replyWithList(response, listAgentBudgets(db, day, held, query), presentAgentBudget, framing);
  },
});
