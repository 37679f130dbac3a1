import type { Agent } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { inTransaction, type RowOf } from '../statements.ts';
import { type PageRange, readOldestFirst } from './pages.ts';

export type AgentRow = RowOf<Agent, 'created_at' | 'updated_at'>;

/** The columns of an agent as it is shown: its address is that of the latest recorded request. */
export const agentColumns = [
  'agents.id',
  'agents.name',
  sql<string>`coalesce(
    (SELECT seen.source_ip FROM agent_last_seen seen WHERE seen.agent_id = agents.id), agents.source_ip
  )`.as('source_ip'),
  'agents.status',
  'agents.metadata',
  'agents.created_at',
  'agents.updated_at',
] as const;

/** An agent; what it used only where that was asked for. */
export interface ListedAgentRow extends AgentRow {
  /** UUID, which holds its time. */
  last_event_id?: string | null;
  cost_today_usd?: number;
  requests_today?: number;
  daily_cap_usd?: number | null;
  warn_only?: boolean;
  requests_per_minute?: number | null;
  /** Kinds of findings. */
  pii_today?: string[];
}

interface AgentFilter {
  status?: AgentRow['status'] | undefined;
  /** Text that the name has in it, in any case. */
  search?: string | undefined;
  /** UUID: this one alone. */
  id?: string | undefined;
}

/** By when they came, by name, by what they cost today, by when they were last seen. */
type AgentOrder = 'created' | 'name' | 'cost' | 'seen';

/** Agents in one answer that is not by creation: those are sorted in memory. */
const mostSorted = 1_000;

const lastEventId = sql<string | null>`(
  SELECT seen.last_event_id FROM agent_last_seen AS seen WHERE seen.agent_id = agents.id)`;

const usageOfDay = (name: 'cost_usd' | 'request_count', day: string) => sql<number>`(
  SELECT coalesce(sum(${sql.ref(name)}), 0)${sql.raw(name === 'cost_usd' ? '' : '::bigint')}
  FROM daily_usage WHERE day = ${day} AND daily_usage.agent_id = agents.id
)`;

const usageColumns = (day: string) =>
  [
    lastEventId.as('last_event_id'),
    usageOfDay('cost_usd', day).as('cost_today_usd'),
    usageOfDay('request_count', day).as('requests_today'),
    'agents.daily_cap_usd',
    'agents.warn_only',
    'agents.requests_per_minute',
    sql<string[]>`ARRAY(
      SELECT DISTINCT kind FROM hourly_findings
      WHERE hour >= ${`${day}T00:00:00Z`}::timestamptz AND hourly_findings.agent_id = agents.id ORDER BY kind
    )`.as('pii_today'),
  ] as const;

/** `%` and `_` stand for themselves. */
const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

const ofFilter = (db: Db, { status, search, id }: AgentFilter) =>
  db
    .selectFrom('agents')
    .$if(id !== undefined, (asked) => asked.where('agents.id', '=', id as string))
    .$if(status !== undefined, (asked) => asked.where('agents.status', '=', status as AgentRow['status']))
    .$if(search !== undefined, (asked) => asked.where('agents.name', 'ilike', `%${escapeLike(search ?? '')}%`));

/** UUIDs in an order: what it goes by is read for all agents at once, and nothing else is. */
async function listSorted(
  db: Db,
  filter: AgentFilter,
  { limit, offset }: PageRange,
  { day, order }: { day: string; order: Exclude<AgentOrder, 'created'> },
): Promise<string[]> {
  const ids = ofFilter(db, filter).select('agents.id');
  const spent = db
    .selectFrom('daily_usage')
    .select(['agent_id', sql<number>`sum(cost_usd)`.as('usd')])
    .where('day', '=', sql<string>`${day}::date`)
    .groupBy('agent_id')
    .as('spent');
  const sorted = {
    name: () => ids.orderBy(sql`lower(agents.name)`),
    cost: () => ids.leftJoin(spent, 'spent.agent_id', 'agents.id').orderBy(sql`coalesce(spent.usd, 0)`, 'desc'),
    // Ids of events hold their times.
    seen: () =>
      ids
        .leftJoin('agent_last_seen as seen', 'seen.agent_id', 'agents.id')
        .orderBy(sql`seen.last_event_id DESC NULLS LAST`),
  }[order]();
  const rows = await sorted
    .orderBy('agents.id')
    .limit(Math.min(limit ?? mostSorted, mostSorted))
    .offset(offset)
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Agents in pages, those of one status or name where that is asked for.
 *
 * @param day the UTC day that `order` by cost and `usage` are about, `YYYY-MM-DD`
 * @param withUsage adds what each used on that day
 */
export async function* listAgents(
  db: Db,
  filter: AgentFilter,
  range: PageRange,
  { day, withUsage, order }: { day: string; withUsage: boolean; order: AgentOrder },
): AsyncGenerator<ListedAgentRow[]> {
  const query = ofFilter(db, filter)
    .select(agentColumns)
    .$if(withUsage, (asked) => asked.select([...usageColumns(day)]));
  if (order === 'created') {
    yield* readOldestFirst(range, query);
    return;
  }
  const ids = await listSorted(db, filter, range, { day, order });
  if (ids.length === 0) return;
  const rows: ListedAgentRow[] = await query.where('agents.id', 'in', ids).execute();
  const known = new Map(rows.map((row) => [row.id, row]));
  yield ids.flatMap((id) => known.get(id) ?? []);
}

/** One agent by its UUID. */
export function readAgent(db: Db, id: string): Promise<AgentRow | undefined> {
  return db.selectFrom('agents').select(agentColumns).where('agents.id', '=', id).executeTakeFirst();
}

export async function agentExists(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('agents').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

export interface AgentChange {
  status?: AgentRow['status'] | undefined;
  /** Replaces the old object. */
  metadata?: Record<string, unknown> | undefined;
}

/**
 * Changes an agent, for requests that are admitted after the commit. `updated_at` grows by at least a millisecond, whatever the clock
 * says.
 *
 * @returns undefined for an unknown agent
 */
export function updateAgent(
  db: Db,
  id: string,
  change: AgentChange,
): Promise<{ before: Pick<AgentRow, 'status' | 'metadata'>; after: AgentRow } | undefined> {
  return inTransaction(db, async (transaction) => {
    // The weaker lock is enough, since the row's key does not change.
    const before = await transaction
      .selectFrom('agents')
      .select(['status', 'metadata'])
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (before === undefined) return undefined;
    const after = await transaction
      .updateTable('agents')
      .set({
        ...(change.status !== undefined && { status: change.status }),
        ...(change.metadata !== undefined && { metadata: JSON.stringify(change.metadata) }),
        updated_at: sql<Date>`greatest(clock_timestamp(), agents.updated_at + interval '1 millisecond')`,
      })
      .where('agents.id', '=', id)
      .returning(agentColumns)
      .executeTakeFirstOrThrow();
    return { before, after };
  });
}

/** The names of agents, by their UUIDs. */
export function listAgentNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  return db.selectFrom('agents').select(['id', 'name']).where('id', 'in', ids).execute();
}
