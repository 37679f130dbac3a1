import { usdToDecimal } from '@agp/core/money';
import { CompiledQuery, type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { type Changed, inTransaction } from '../statements.ts';
import { hasLabel } from './agents.ts';
import { likeAny, type PageRange, readOldestFirst } from './pages.ts';
import { agentSpendUsd, type BudgetFilter, globalSpendUsd } from './spend.ts';

const agentLimitsColumns = ['id', 'name', 'daily_cap_usd', 'warn_only', 'requests_per_minute', 'created_at'] as const;

export type AgentLimitsRow = Pick<Selectable<Schema['agents']>, (typeof agentLimitsColumns)[number]>;

export function listAgentLimits(
  db: Db,
  range: PageRange,
  { search, label, capped }: BudgetFilter = {},
): AsyncGenerator<AgentLimitsRow[]> {
  const query = db
    .selectFrom('agents')
    .select(agentLimitsColumns)
    .$if(search !== undefined, (asked) => asked.where('name', 'ilike', likeAny(search)))
    .$if(label !== undefined, (asked) => asked.where(hasLabel(label ?? '')))
    .$if(capped === true, (asked) => asked.where('daily_cap_usd', 'is not', null));
  return readOldestFirst(range, query);
}

/** The daily cap of an agent, or of all together, in USD; null without one. @param agentId its UUID; null for all */
export async function readCapOf(db: Db, agentId: string | null): Promise<number | null> {
  const row = await (agentId === null
    ? db.selectFrom('control').select('global_cap_usd as cap').executeTakeFirst()
    : db.selectFrom('agents').select('daily_cap_usd as cap').where('id', '=', agentId).executeTakeFirst());
  return row?.cap ?? null;
}

type AgentLimitsChange = Partial<Pick<AgentLimitsRow, 'daily_cap_usd' | 'warn_only' | 'requests_per_minute'>>;

/** For requests admitted after the commit; `updated_at` stays. Undefined for an unknown agent. */
export function updateAgentLimits(
  db: Db,
  id: string,
  change: AgentLimitsChange,
): Promise<Changed<AgentLimitsRow> | undefined> {
  const { daily_cap_usd: cap, ...rest } = change;
  return inTransaction(db, async (transaction) => {
    const before = await transaction
      .selectFrom('agents')
      .select(agentLimitsColumns)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (before === undefined) return undefined;
    const after = await transaction
      .updateTable('agents')
      .set({
        ...rest,
        ...(cap !== undefined && {
          daily_cap_usd: cap === null ? null : usdToDecimal(cap),
          cap_changed_at: sql<Date>`clock_timestamp()`,
        }),
      })
      .where('id', '=', id)
      .returning(agentLimitsColumns)
      .executeTakeFirstOrThrow();
    return { before, after };
  });
}

/** An amount that is reserved for a request whose event may not be recorded yet. */
export interface HeldAmount {
  eventId: string;
  agentId: string;
  nanoUsd: number;
}

export interface BudgetRow {
  daily_cap_usd: number | null;
  warn_only: boolean;
  spent_usd: number;
  reserved_usd: number;
  remaining_usd: number | null;
}

export interface AgentBudgetRow extends BudgetRow {
  agent_id: string;
  agent_name: string;
  metadata: Record<string, unknown>;
  no_room_since: Date | null;
}

/** Amounts of events that are recorded by now are part of the spend: one statement, so that no cost is counted twice. */
const withPending = `
  WITH recorded AS MATERIALIZED (
    SELECT id FROM events WHERE id = ANY($2::uuid[])
    UNION SELECT event_id FROM unrecorded_spend WHERE event_id = ANY($2::uuid[])
  ), pending AS MATERIALIZED (
    SELECT held.agent_id, sum(held.nano_usd) * 1e-9 AS usd
    FROM unnest($2::uuid[], $3::uuid[], $4::numeric[]) AS held (event_id, agent_id, nano_usd)
    WHERE NOT EXISTS (SELECT FROM recorded WHERE recorded.id = held.event_id)
      AND EXISTS (SELECT FROM agents WHERE agents.id = held.agent_id)
    GROUP BY held.agent_id
  )`;

const budgetColumns = `
  asked.daily_cap_usd, asked.warn_only, spent.usd AS spent_usd, reserved.usd AS reserved_usd,
  CASE WHEN asked.daily_cap_usd IS NOT NULL
       THEN greatest(asked.daily_cap_usd - spent.usd - reserved.usd, 0) END AS remaining_usd`;

const globalText = `${withPending}
  SELECT ${budgetColumns}
  FROM (SELECT global_cap_usd AS daily_cap_usd, global_warn_only AS warn_only FROM control) AS asked
  CROSS JOIN LATERAL (SELECT ${globalSpendUsd} AS usd) AS spent
  CROSS JOIN (SELECT coalesce(sum(usd), 0) AS usd FROM pending) AS reserved`;

/**
 * That a row `refused` says that an agent `asked` has no room for its next request: its cap refused it, since that was set, since the day
 * began, and since its latest event.
 * @param dayStart as SQL
 */
export const saysNoRoom = (dayStart: string): string => `
  refused.agent_id = asked.agent_id AND refused.reason = 'agent_budget_exceeded'
  AND refused.id >= greatest(reporting.first_id_at(${dayStart}), reporting.first_id_at(asked.cap_changed_at),
    (SELECT last_event_id FROM agent_last_seen AS seen WHERE seen.agent_id = asked.agent_id))`;

const agentsText = `${withPending}
  SELECT asked.agent_id, asked.agent_name, asked.metadata, ${budgetColumns},
    reporting.id_time((
      SELECT refused.id FROM refused_requests AS refused WHERE ${saysNoRoom('$1::date::timestamptz')}
      ORDER BY refused.id DESC LIMIT 1
    )) AS no_room_since
  FROM (SELECT id AS agent_id, name AS agent_name, metadata, daily_cap_usd, cap_changed_at, warn_only, created_at
        FROM agents WHERE id = ANY($5::uuid[])) AS asked
  CROSS JOIN LATERAL (SELECT ${agentSpendUsd} AS usd) AS spent
  LEFT JOIN pending ON pending.agent_id = asked.agent_id
  CROSS JOIN LATERAL (SELECT coalesce(pending.usd, 0) AS usd) AS reserved
  ORDER BY asked.created_at, asked.agent_id`;

const toColumns = (held: readonly HeldAmount[]) => [
  held.map(({ eventId }) => eventId),
  held.map(({ agentId }) => agentId),
  held.map(({ nanoUsd }) => nanoUsd),
];

/** `held`, all agents' reservations of that day, is read before: events recorded in between are then found here. */
export async function readGlobalBudget(db: Db, day: string, held: readonly HeldAmount[]): Promise<BudgetRow> {
  const query = CompiledQuery.raw(globalText, [day, ...toColumns(held)]);
  const [row] = (await db.executeQuery<BudgetRow>(query as CompiledQuery<BudgetRow>)).rows;
  if (row === undefined) throw new Error('the control table is empty');
  return row;
}

/** The caps of some agents, and their use, oldest agent first; unknown agents are left out. `held` as in {@link readGlobalBudget}. */
export async function readAgentBudgets(
  db: Db,
  day: string,
  agentIds: readonly string[],
  held: readonly HeldAmount[],
): Promise<AgentBudgetRow[]> {
  const asked = new Set(agentIds);
  const ofThese = held.filter(({ agentId }) => asked.has(agentId));
  const query = CompiledQuery.raw(agentsText, [day, ...toColumns(ofThese), agentIds]);
  return (await db.executeQuery<AgentBudgetRow>(query as CompiledQuery<AgentBudgetRow>)).rows;
}
