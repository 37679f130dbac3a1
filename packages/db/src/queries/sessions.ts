import { mostFailed, mostLookedAt, type Session } from '@agp/core/contracts';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import type { RowOf } from '../statements.ts';
import { hasLabel } from './agents.ts';
import { isFailed } from './causes.ts';
import { listFailedSessions } from './events.ts';
import { countRows, type PageRange, readPages } from './pages.ts';

export interface SessionClaim {
  sessionId: string;
  agentId: string;
  name: string | null;
}

const readOwners = 'SELECT id, agent_id FROM sessions WHERE id = ANY($1)';

/** A session belongs to one agent for ever. Returns the owner of each; another agent if the claim came too late. */
export async function claimSessions(pool: Pool, claims: SessionClaim[]): Promise<Map<string, string>> {
  const first = new Map<string, SessionClaim>();
  for (const claim of claims) if (!first.has(claim.sessionId)) first.set(claim.sessionId, claim);
  // Sorted, so that two proxies that claim the same sessions cannot deadlock.
  const ids = [...first.keys()].sort();
  const values = [ids, ids.map((id) => first.get(id)?.agentId), ids.map((id) => first.get(id)?.name)];
  const made = await pool.query<{ id: string; agent_id: string }>({
    name: 'claim-sessions',
    text: `INSERT INTO sessions (id, agent_id, name) SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[])
           ON CONFLICT (id) DO NOTHING RETURNING id, agent_id`,
    values,
  });
  const owners = new Map(made.rows.map((row) => [row.id, row.agent_id]));
  const taken = ids.filter((id) => !owners.has(id));
  if (taken.length > 0) {
    const known = await pool.query<{ id: string; agent_id: string }>({
      name: 'read-session-owners',
      text: readOwners,
      values: [taken],
    });
    for (const row of known.rows) owners.set(row.id, row.agent_id);
  }
  return owners;
}

export type SessionRow = RowOf<Omit<Session, 'labels' | 'name' | 'failed_count'>, 'started_at' | 'ended_at'> & {
  /** Only if it was asked for. */
  failed_count?: number;
  name: string | null;
  metadata: Record<string, unknown>;
};

/** Sessions without a recorded event are only claims of their agent. */
function selectSessions(db: Db): SelectQueryBuilder<Schema, 'sessions' | 'agents', SessionRow> {
  return db
    .selectFrom('sessions')
    .innerJoin('agents', 'agents.id', 'sessions.agent_id')
    .where('sessions.started_at', 'is not', null)
    .select([
      'sessions.id',
      'sessions.agent_id',
      'agents.name as agent_name',
      'sessions.started_at',
      'sessions.ended_at',
      sql<number>`(extract(epoch FROM sessions.ended_at - sessions.started_at) * 1000)::bigint`.as('duration_ms'),
      'sessions.event_count',
      'sessions.total_tokens',
      'sessions.total_cost_usd',
      'sessions.compliance_tag',
      'sessions.pii_detected',
      'sessions.name',
      'agents.metadata',
    ])
    .$narrowType<{ started_at: Date; ended_at: Date; compliance_tag: string }>();
}

/** A place in the list of sessions: the one at it is left out. */
type SessionCursor = Pick<SessionRow, 'started_at' | 'id'>;

interface SessionFilter {
  agentId?: string | undefined;
  name?: string | undefined;
  /** Of its agent, as `name=value`. */
  label?: string | undefined;
  /** Only those of the latest events that failed. */
  failed?: boolean | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Only sessions that come after this place in the list. */
  cursor?: SessionCursor | undefined;
}

/** Of the latest events of a session alone. As a range, which may have many: else Postgres sorts all that a session has. */
const countFailures = sql<number>`(
  SELECT count(*) FILTER (WHERE ${isFailed}) FROM (
    SELECT outcome, http_status FROM events WHERE session_id >= sessions.id AND session_id <= sessions.id
    ORDER BY session_id DESC, id DESC LIMIT ${sql.lit(mostLookedAt)}
  ) AS latest)`;

/** From what failed on, which an index has: most sessions have no failure, and some have a million events. */
async function filterSessions(
  db: Db,
  { agentId, name, label, failed, from, to }: SessionFilter,
): Promise<{ filtered: ReturnType<typeof selectSessions> }> {
  let filtered = selectSessions(db);
  if (agentId !== undefined) filtered = filtered.where('sessions.agent_id', '=', agentId);
  if (name !== undefined) filtered = filtered.where('sessions.name', '=', name);
  if (label !== undefined) filtered = filtered.where(hasLabel(label));
  if (failed) {
    const ids = await listFailedSessions(db, { agentId, from, to }, mostFailed);
    filtered = filtered.where(sql<boolean>`sessions.id = ANY(${ids}::text[])`);
  }
  if (from !== undefined) filtered = filtered.where('sessions.started_at', '>=', from);
  if (to !== undefined) filtered = filtered.where('sessions.started_at', '<', to);
  return { filtered };
}

/** @see countRows */
export const countSessions = async (db: Db, filter: SessionFilter) =>
  countRows(db, (await filterSessions(db, filter)).filtered);

/** The latest start first, ties by id. */
export async function* listSessions(
  db: Db,
  filter: SessionFilter & { withFailures?: boolean },
  range: PageRange,
): AsyncGenerator<SessionRow[]> {
  const { cursor, withFailures = false } = filter;
  const filtered = (await filterSessions(db, filter)).filtered.$if(withFailures, (query) =>
    query.select(countFailures.as('failed_count')),
  );
  yield* readPages<SessionRow>(range, ({ after: last, limit, offset }) => {
    const after = last ?? cursor;
    let query = filtered;
    if (after !== undefined) {
      // The first condition alone bounds the index scan; the second leaves out what was shown of the same moment.
      query = query
        .where('sessions.started_at', '<=', after.started_at)
        .where(({ eb, or }) =>
          or([eb('sessions.started_at', '<', after.started_at), eb('sessions.id', '>', after.id)]),
        );
    }
    return query.orderBy('sessions.started_at', 'desc').orderBy('sessions.id').limit(limit).offset(offset).execute();
  });
}

export function readSession(db: Db, id: string): Promise<SessionRow | undefined> {
  return selectSessions(db).where('sessions.id', '=', id).executeTakeFirst();
}
