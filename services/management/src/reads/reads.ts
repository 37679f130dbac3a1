import { type AgentOverview, mostOverviewEvents, type Stop } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { toPublicId, uuidOf } from '@agp/core/ids';
import {
  countUnrecorded,
  type Db,
  listAgentNames,
  listAgents,
  listAudit,
  listEvents,
  readAgentBudgets,
  readAgentIdentity,
  readAgentUsage,
  readBlocks,
  readControl,
  readPause,
} from '@agp/db';
import type { BudgetReservations, HeldReservation } from '@agp/reservations';
import { presentAgentEvent, presentAuditEntry, presentBudget, presentListedAgent } from '../presenters.ts';
import { found, today } from '../requests.ts';

/** The name is null without an agent. */
export async function addAgentNames<Entry extends { agent_id: string | null }>(
  db: Db,
  entries: readonly Entry[],
): Promise<(Entry & { agent_name: string | null })[]> {
  const ids = [...new Set(entries.flatMap(({ agent_id }) => agent_id ?? []))].map((id) => uuidOf('agt', id));
  const found = ids.length === 0 ? [] : await listAgentNames(db, ids);
  const names = new Map(found.map(({ id, name }) => [toPublicId('agt', id), name]));
  return entries.map((entry) => ({ ...entry, agent_name: names.get(entry.agent_id ?? '') ?? null }));
}

/**
 * The reservations of all agents for a UTC day. To be read before the spend, so that an event recorded in between is found there. Throws
 * ApiError, since unknown amounts must not look like zero.
 */
export async function readHeld(reservations: BudgetReservations, day: string): Promise<HeldReservation[]> {
  try {
    await reservations.purge(day);
    return await reservations.list(day, null);
  } catch {
    throw new ApiError('reservations_unavailable');
  }
}

/** Whether all agents are stopped, and by whom. */
export async function readPauseState(db: Db): Promise<{ paused: boolean; stop: Stop | null }> {
  const { paused } = await readControl(db);
  return { paused, stop: paused ? await readPause(db) : null };
}

const dayCount = 30;
const mostChanges = 30;

/** Null while the amounts that requests hold cannot be read. */
async function readHeldOf(
  db: Db,
  reservations: BudgetReservations,
  id: string,
  day: string,
): Promise<Pick<AgentOverview, 'budget' | 'no_room_since' | 'running_requests'>> {
  // Before the spend, as `readHeld` says; of this agent alone, since others may have thousands.
  const held = await reservations
    .purge(day)
    .then(() => reservations.list(day, id))
    .catch(() => null);
  const unknown = { budget: null, no_room_since: null, running_requests: null };
  if (held === null) return unknown;
  const [row] = await readAgentBudgets(db, day, [id], held);
  if (row === undefined) return unknown;
  const running = await countUnrecorded(
    db,
    held.map(({ eventId }) => eventId),
  );
  const no_room_since = row.no_room_since?.toISOString() ?? null;
  return { budget: presentBudget(row), no_room_since, running_requests: running };
}

/** One agent with all that its screen shows. Throws ApiError `agent_not_found`. */
export async function readAgentOverview(db: Db, reservations: BudgetReservations, id: string): Promise<AgentOverview> {
  const day = today();
  const { value: rows } = await listAgents(
    db,
    { id },
    { limit: 1, offset: 0 },
    { day, withUsage: true, order: 'name' },
  ).next();
  const row = found((rows ?? [])[0], 'agent_not_found');
  const [identity, block, held, usage, changes, events] = await Promise.all([
    readAgentIdentity(db, id),
    row.status === 'blocked' ? readBlocks(db, [id]).then((blocks) => blocks.get(id) ?? null) : null,
    readHeldOf(db, reservations, id, day),
    readAgentUsage(db, id, day, dayCount),
    listAudit(db, { agentId: id }, { limit: mostChanges, offset: 0 }),
    listEvents(db, { agentId: id }, { limit: mostOverviewEvents, offset: 0 }, { withOutcomes: true }),
  ]);
  return {
    agent: presentListedAgent(row) as AgentOverview['agent'],
    identity,
    block,
    ...held,
    ...usage,
    changes: changes.map(presentAuditEntry),
    events: events.map(presentAgentEvent),
  };
}
