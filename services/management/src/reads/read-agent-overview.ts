import type { AgentOverview } from '@agp/core/contracts';
import { countUnrecorded, type Db, listAgents, listAudit, listEvents, readAgentBudgets, readAgentUsage } from '@agp/db';
import type { BudgetReservations } from '@agp/reservations';
import { presentAuditEntry } from '../presenters/present-audit-entry.ts';
import { presentBudget } from '../presenters/present-budget.ts';
import { presentAgentEvent } from '../presenters/present-event.ts';
import { presentListedAgent } from '../presenters/present-listed-agent.ts';
import { found } from '../requests/found.ts';
import { today } from '../requests/today.ts';

const dayCount = 30;
const mostChanges = 30;
const mostEvents = 20;

/** The cap's use and the requests under way; neither while the amounts that requests hold cannot be read. */
async function readHeldOf(
  db: Db,
  reservations: BudgetReservations,
  id: string,
  day: string,
): Promise<Pick<AgentOverview, 'budget' | 'running_requests'>> {
  // Before the spend, as `readHeld` says; of this agent alone, since others may have thousands.
  const held = await reservations
    .purge(day)
    .then(() => reservations.list(day, id))
    .catch(() => null);
  if (held === null) return { budget: null, running_requests: null };
  const [row] = await readAgentBudgets(db, day, [id], held);
  if (row === undefined) return { budget: null, running_requests: null };
  const { agent_id: _, agent_name: __, ...budget } = row;
  const running = await countUnrecorded(
    db,
    held.map(({ eventId }) => eventId),
  );
  return { budget: presentBudget(budget), running_requests: running };
}

/**
 * One agent with all that its screen shows.
 *
 * @param id UUID
 * @throws ApiError `agent_not_found`
 */
export async function readAgentOverview(db: Db, reservations: BudgetReservations, id: string): Promise<AgentOverview> {
  const day = today();
  const { value: rows } = await listAgents(
    db,
    { id },
    { limit: 1, offset: 0 },
    { day, withUsage: true, order: 'name' },
  ).next();
  const row = found((rows ?? [])[0], 'agent_not_found');
  const [held, usage, changes, events] = await Promise.all([
    readHeldOf(db, reservations, id, day),
    readAgentUsage(db, id, day, dayCount),
    listAudit(db, { agentId: id }, { limit: mostChanges, offset: 0 }),
    listEvents(db, { agentId: id }, { limit: mostEvents, offset: 0 }, { withOutcomes: true }),
  ]);
  return {
    agent: presentListedAgent(row) as AgentOverview['agent'],
    ...held,
    ...usage,
    changes: changes.map(presentAuditEntry),
    events: events.map(presentAgentEvent),
  };
}
