import {
  type BudgetList,
  budgetInputSchema,
  budgetListQuerySchema,
  budgetListSchema,
  budgetSchema,
  versionOfCap,
} from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import {
  type AgentLimitsRow,
  type BudgetFilter,
  type ControlRow,
  type Db,
  type HeldAmount,
  listAgentLimits,
  listAgentsByCapUse,
  type PageRange,
  readAgentBudgets,
  readControl,
  readGlobalBudget,
  updateAgentLimits,
  updateControl,
} from '@agp/db';
import { recordChange } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentAgentBudget, presentBudget } from '../presenters.ts';
import { readHeld } from '../reads/reads.ts';
import { frameList, replyWithList } from '../replies.ts';
import { agentId, found, today } from '../requests.ts';

type Cap = Pick<AgentLimitsRow, 'daily_cap_usd' | 'warn_only'>;

const capOfAgent = ({ daily_cap_usd, warn_only }: Cap): Cap => ({ daily_cap_usd, warn_only });
const capOfAll = (row: ControlRow): Cap => ({ daily_cap_usd: row.global_cap_usd, warn_only: row.global_warn_only });
const defaultCap = (row: ControlRow): Cap => ({
  daily_cap_usd: row.default_agent_cap_usd,
  warn_only: row.default_warn_only,
});

/** As the audit log has it, with the versions that `If-Match` takes. */
const describeCaps = (before: Cap, after: Cap) => ({
  before: { ...before },
  after: { ...after },
  versions: { before: versionOfCap(before), after: versionOfCap(after) },
});

type Asked = PageRange & BudgetFilter;

async function* listBudgetsByUse(db: Db, day: string, held: readonly HeldAmount[], asked: Asked) {
  const ids = await listAgentsByCapUse(db, day, asked, asked);
  const budgets = new Map((await readAgentBudgets(db, day, ids, held)).map((row) => [row.agent_id, row]));
  yield ids.flatMap((id) => budgets.get(id) ?? []);
}

async function* listAgentBudgets(db: Db, day: string, held: readonly HeldAmount[], asked: Asked) {
  for await (const agents of listAgentLimits(db, asked, asked)) {
    const ids = agents.map(({ id }) => id);
    yield await readAgentBudgets(db, day, ids, held);
  }
}

export const budgetRoutes = tagRoutes('Budgets', [
  defineRoute('GET /api/v1/budgets', {
    summary:
      'The daily caps and their use today: of all agents together, and of each, oldest first unless asked otherwise',
    query: budgetListQuerySchema,
    answer: { description: 'The budgets', schema: budgetListSchema },
    errors: ['reservations_unavailable'],
    handle: async ({ query }, { db, reservations }, response) => {
      const day = today();
      const { default_agent_cap_usd, default_warn_only } = await readControl(db);
      const held = await readHeld(reservations, day);
      const head: Omit<BudgetList, 'agents'> = {
        day,
        global: presentBudget(await readGlobalBudget(db, day, held)),
        default_agent_cap_usd,
        ...(default_warn_only && { default_warn_only }),
      };
      const list = query.order === 'use' ? listBudgetsByUse : listAgentBudgets;
      const asked = { ...query, capped: query.capped === 'true' };
      await replyWithList(response, list(db, day, held, asked), presentAgentBudget, frameList(head, 'agents'));
    },
  }),
  defineRoute('PUT /api/v1/budgets/global', {
    ofInstallation: true,
    isVersioned: true,
    summary: 'Set the daily cap of all agents together: it holds from the next request on',
    body: budgetInputSchema,
    answer: { description: 'The budget as it is now', schema: budgetSchema },
    errors: ['reservations_unavailable'],
    handle: async (input, context) => {
      const { daily_cap_usd, warn_only } = input.body;
      const day = today();
      const held = await readHeld(context.reservations, day);
      const budget = await recordChange(context, input, 'budget.global.set', async (transaction) => {
        const change = { global_cap_usd: daily_cap_usd, global_warn_only: warn_only };
        const { before, after } = await updateControl(transaction, change);
        const result = await readGlobalBudget(transaction, day, held);
        return { result, ...describeCaps(capOfAll(before), capOfAll(after)) };
      });
      return presentBudget(budget);
    },
  }),
  defineRoute('PUT /api/v1/budgets/default', {
    ofInstallation: true,
    isVersioned: true,
    summary: 'Set the daily cap that new agents are registered with; those that are registered keep theirs',
    body: budgetInputSchema,
    answer: { description: 'The budget that a new agent begins with', schema: budgetSchema },
    handle: async (input, context) => {
      const { daily_cap_usd, warn_only } = input.body;
      const cap = await recordChange(context, input, 'budget.default.set', async (transaction) => {
        const change = { default_agent_cap_usd: daily_cap_usd, default_warn_only: warn_only };
        const { before, after } = await updateControl(transaction, change);
        return { result: defaultCap(after), ...describeCaps(defaultCap(before), defaultCap(after)) };
      });
      const { daily_cap_usd: remaining_usd } = cap;
      return presentBudget({ daily_cap_usd, spent_usd: 0, reserved_usd: 0, remaining_usd, warn_only: cap.warn_only });
    },
  }),
  defineRoute('PUT /api/v1/budgets/agents/{id}', {
    isVersioned: true,
    summary: "Set an agent's daily cap: it holds from the next request on",
    params: { id: agentId },
    body: budgetInputSchema,
    answer: { description: 'The budget as it is now', schema: budgetSchema },
    errors: ['reservations_unavailable'],
    handle: async (input, context) => {
      const { id } = input.params;
      const target = toPublicId('agt', id);
      const day = today();
      const held = await readHeld(context.reservations, day);
      const budget = await recordChange(context, input, 'budget.agent.set', async (transaction) => {
        const { before, after } = found(await updateAgentLimits(transaction, id, input.body), 'agent_not_found');
        const [row] = await readAgentBudgets(transaction, day, [id], held);
        const result = found(row, 'agent_not_found');
        return { result, agentId: target, target, ...describeCaps(capOfAgent(before), capOfAgent(after)) };
      });
      return presentBudget(budget);
    },
  }),
]);
