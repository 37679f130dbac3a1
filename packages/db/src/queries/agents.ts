import type { Agent } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database.ts';
import { inTransaction, type RowOf } from '../statements.ts';
import { appendAudit, bySystem, type NewAuditEntry } from './audit.ts';
import { likeAny, type PageRange, readOldestFirst } from './pages.ts';

export type AgentRow = RowOf<Agent, 'created_at' | 'updated_at'>;

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

export interface ListedAgentRow extends AgentRow {
  last_event_id?: string | null;
  cost_today_usd?: number;
  requests_today?: number;
  daily_cap_usd?: number | null;
  warn_only?: boolean;
  requests_per_minute?: number | null;
  pii_today?: string[];
}

interface AgentFilter {
  status?: AgentRow['status'] | undefined;
  search?: string | undefined;
  id?: string | undefined;
  /** A string member of the metadata, as `name=value`. */
  label?: string | undefined;
}

/** Agents are listed by when they came, by name, by what they cost today, or by when they were last seen. */
type AgentOrder = 'created' | 'name' | 'cost' | 'seen';

/** Agents in another order than that of creation are sorted in memory. */
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

/** `team=sales`, or `team` for any value. */
export function hasLabel(label: string, column = 'agents.metadata'): RawBuilder<boolean> {
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(label) ?? [];
  return value === undefined
    ? sql`jsonb_typeof(${sql.ref(column)}->${name}::text) = 'string'`
    : sql`${sql.ref(column)} @> ${JSON.stringify({ [name]: value })}::jsonb`;
}

const ofFilter = (db: Db, { status, search, id, label }: AgentFilter) =>
  db
    .selectFrom('agents')
    .$if(id !== undefined, (asked) => asked.where('agents.id', '=', id as string))
    .$if(status !== undefined, (asked) => asked.where('agents.status', '=', status as AgentRow['status']))
    .$if(label !== undefined, (asked) => asked.where(hasLabel(label ?? '')))
    .$if(search !== undefined, (asked) => asked.where('agents.name', 'ilike', likeAny(search)));

/** What the order goes by is read for all agents at once, and nothing else is. */
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

/** Agents in pages. `day` is the UTC day that `order` by cost and the usage of `withUsage` are about. */
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

/** Labels that are listed, and their longest `name=value`, which is the longest that a filter takes. */
const mostLabels = 200;
const longestLabel = 256;

/** Labels with the number of agents that have them, the most frequent first; notes are prose, and no labels to choose. */
export async function listAgentLabels(db: Db, search?: string) {
  const { rows } = await sql<{ name: string; value: string; agent_count: number }>`
    SELECT label.name, label.value, count(*) AS agent_count
    FROM agents, LATERAL (
      SELECT key AS name, value #>> '{}' AS value FROM jsonb_each(metadata) WHERE jsonb_typeof(value) = 'string'
    ) AS label, LATERAL (SELECT label.name || '=' || label.value AS text) AS whole
    WHERE label.name <> 'note' AND length(text) <= ${longestLabel}
      AND (${search ?? null}::text IS NULL OR text ILIKE ${likeAny(search)})
    GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ${mostLabels}`.execute(db);
  return rows;
}

export function readAgent(db: Db, id: string): Promise<AgentRow | undefined> {
  return db.selectFrom('agents').select(agentColumns).where('agents.id', '=', id).executeTakeFirst();
}

export async function agentExists(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('agents').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** UUID of the agent with this name. */
export async function findNamedAgent(db: Db, name: string): Promise<string | undefined> {
  return (await db.selectFrom('agents').select('id').where('name', '=', name).executeTakeFirst())?.id;
}

export interface AgentChange {
  status?: AgentRow['status'] | undefined;
  /** When a block ends by itself. */
  blocked_until?: Date | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** String members that are set in the metadata; null removes one. */
  labels?: Readonly<Record<string, string | null>> | undefined;
}

/** What the audit log keeps of an agent; an end only of a block that has one. */
type AgentState = Pick<AgentRow, 'status' | 'metadata'> & { blocked_until?: string };

const toState = ({ status, metadata }: Pick<AgentRow, 'status' | 'metadata'>, until: Date | null): AgentState => ({
  status,
  metadata,
  ...(until !== null && { blocked_until: until.toISOString() }),
});

interface UpdatedAgent {
  agent: AgentRow;
  updatedAt: Date;
  before: AgentState;
  after: AgentState;
  /** The status that the whole installation had stopped it with before; null if it had not. */
  stoppedBefore: 'blocked' | 'retired' | null;
}

/** `updated_at` grows by at least a millisecond, whatever the clock says; `updatedAt` is the one before. Undefined for an unknown agent. */
export function updateAgent(db: Db, id: string, change: AgentChange): Promise<UpdatedAgent | undefined> {
  return inTransaction(db, async (transaction) => {
    const before = await transaction
      .selectFrom('agents')
      .select(['status', 'metadata', 'blocked_until', 'updated_at', 'installation_stop'])
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (before === undefined) return undefined;
    const { status, blocked_until = null, metadata, labels } = change;
    const base = metadata === undefined ? sql`metadata` : sql`${JSON.stringify(metadata)}::jsonb`;
    const kept = Object.entries(labels ?? {}).filter(([, value]) => value !== null);
    const { blocked_until: until, ...agent } = await transaction
      .updateTable('agents')
      .set({
        ...(status !== undefined && { status, blocked_until }),
        ...((metadata ?? labels) && {
          metadata: sql<string>`${base} - ${Object.keys(labels ?? {})}::text[] || ${JSON.stringify(Object.fromEntries(kept))}::jsonb`,
        }),
        updated_at: sql<Date>`greatest(clock_timestamp(), agents.updated_at + interval '1 millisecond')`,
      })
      .where('agents.id', '=', id)
      .returning([...agentColumns, 'agents.blocked_until'])
      .executeTakeFirstOrThrow();
    const { updated_at: updatedAt, installation_stop: stoppedBefore } = before;
    const states = { before: toState(before, before.blocked_until), after: toState(agent, until) };
    return { agent, updatedAt, stoppedBefore, ...states };
  });
}

/** Others wait for the log's end meanwhile; what is left is ended a moment later. */
const mostEnded = 50;

/** Ends blocks whose time is over, each with its entry in the audit log; several processes may do it at once. @returns how many */
export function endBlocks(db: Db): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const over = await transaction
      .selectFrom('agents')
      .select(['id', 'installation_stop'])
      .where('status', '=', 'blocked')
      .where('blocked_until', '<=', sql<Date>`clock_timestamp()`)
      .orderBy('id')
      .limit(mostEnded)
      .forNoKeyUpdate()
      .skipLocked()
      .execute();
    const entries: NewAuditEntry[] = [];
    for (const { id, installation_stop: stop } of over) {
      // A team's block ends where the installation had retired the agent.
      const status = stop === 'retired' ? 'retired' : 'active';
      const { before = null, after = null } = (await updateAgent(transaction, id, { status })) ?? {};
      const target = toPublicId('agt', id);
      const reason = 'the block was until now';
      entries.push({ ...bySystem, action: 'agent.update', agent_id: target, target, before, after, reason });
    }
    await appendAudit(transaction, entries);
    return over.length;
  });
}

export function listAgentNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  return db.selectFrom('agents').select(['id', 'name']).where('id', 'in', ids).execute();
}
