import type { UnrecordedReason, UnrecordedRequest } from '@agp/core/contracts';
import { toEventText } from '@agp/core/events';
import { nanoToDecimal } from '@agp/core/money';
import { sql } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import type { Db } from '../database.ts';
import type { RowOf } from '../statements.ts';
import { type Page, pageOfRequests, type RequestFilter } from './pages.ts';

interface RequestDetails {
  sessionId: string;
  provider: string;
  model: string | null;
}

export interface UnrecordedSpend {
  eventId: string;
  agentId: string;
  day: string;
  costNanoUsd: number;
  reason: UnrecordedReason;
  /** What it counts in budgets, by scope; nothing if not given. */
  charges?: Readonly<Record<string, number>> | null;
  /** Null if they are no longer known. */
  request: RequestDetails | null;
}

export type ForwardedSpend = Omit<UnrecordedSpend, 'reason'>;

const toText = (value: string | null | undefined) => (value == null ? null : toEventText(value, 256));

/** Event, day, agent, cost, session, provider, model and what counts in budgets. */
const listColumns = (spends: readonly ForwardedSpend[]) => [
  spends.map(({ eventId }) => eventId),
  spends.map(({ day }) => day),
  spends.map(({ agentId }) => agentId),
  spends.map(({ costNanoUsd }) => nanoToDecimal(costNanoUsd)),
  spends.map(({ request }) => toText(request?.sessionId)),
  spends.map(({ request }) => toText(request?.provider)),
  spends.map(({ request }) => toText(request?.model)),
  spends.map(({ charges }) => (charges ? JSON.stringify(charges) : null)),
];

const listed = `$1::uuid[], $2::date[], $3::uuid[], $4::numeric[], $5::text[], $6::text[], $7::text[], $8::jsonb[]`;

/** Adds spend of events that were lost or set aside, unless they are recorded or were added before. Returns the added ids. */
export async function addUnrecordedSpend(
  pool: Pool | ClientBase,
  spends: readonly UnrecordedSpend[],
): Promise<string[]> {
  // OFFSET 0: each event is looked up in its one partition.
  const { rows } = await pool.query<{ event_id: string }>({
    name: 'add-unrecorded-spend',
    text: `INSERT INTO unrecorded_spend (event_id, day, agent_id, cost_usd, session_id, provider, model, charges, reason)
           SELECT * FROM unnest(${listed}, $9::text[])
             AS lost (event_id, day, agent_id, cost_usd, session_id, provider, model, charges, reason)
           WHERE NOT EXISTS (SELECT FROM events WHERE id = lost.event_id OFFSET 0)
           ON CONFLICT (event_id) DO NOTHING
           RETURNING event_id`,
    values: [...listColumns(spends), spends.map(({ reason }) => reason)],
  });
  return rows.map(({ event_id }) => event_id);
}

/** `agent_name` is null if the agent was never stored. */
export type UnrecordedRow = Omit<RowOf<UnrecordedRequest, 'noted_at'>, 'started_at' | 'reason'> & { reason: string };

const select = sql`
  SELECT event_id, agent_id, agents.name AS agent_name, session_id, provider, model, cost_usd, reason, noted_at
  FROM unrecorded_spend AS request LEFT JOIN agents ON agents.id = request.agent_id`;

export async function listUnrecorded(db: Db, filter: RequestFilter, page: Page): Promise<UnrecordedRow[]> {
  const { rows } = await sql<UnrecordedRow>`${select} ${pageOfRequests(filter, page)}`.execute(db);
  return rows;
}

export async function readUnrecorded(db: Db, eventId: string): Promise<UnrecordedRow | undefined> {
  const { rows } = await sql<UnrecordedRow>`${select} WHERE event_id = ${eventId}`.execute(db);
  return rows[0];
}

/**
 * Else an event that is being recorded at this moment would count twice. Recording holds the table's write lock from when it deletes rows
 * until its commit, so we wait for it here, and later recordings wait for us and see our rows.
 */
const begin = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL lock_timeout = '1s';
  LOCK TABLE unrecorded_spend IN SHARE ROW EXCLUSIVE MODE`;

/** Each is then either recorded or noted, never both. Repeated calls change nothing. Returns the newly noted ids. */
export async function noteEndedRequests(pool: Pool, ended: readonly UnrecordedSpend[]): Promise<string[]> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query(begin);
    // Rows of proxies that stopped while the event was being recorded.
    await client.query({
      name: 'settle-ended-requests',
      text: `DELETE FROM unrecorded_spend
             WHERE event_id = ANY($1::uuid[]) AND EXISTS (SELECT FROM events WHERE id = unrecorded_spend.event_id)`,
      values: [ended.map(({ eventId }) => eventId)],
    });
    const added = await addUnrecordedSpend(client, ended);
    await client.query('COMMIT');
    failed = false;
    return added;
  } finally {
    client.release(failed);
  }
}

/** How many of some requests have no event yet. */
export async function countUnrecorded(db: Db, eventIds: readonly string[]): Promise<number> {
  if (eventIds.length === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::bigint AS count FROM unnest(${eventIds}::uuid[]) AS held (id)
    WHERE NOT EXISTS (SELECT FROM events WHERE events.id = held.id)
      AND NOT EXISTS (SELECT FROM unrecorded_spend WHERE event_id = held.id)`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Keeps forwarded requests for the writer that finds their proxy dead. Repeated calls say that it lives. */
export async function keepForwarded(pool: Pool, spends: readonly ForwardedSpend[]): Promise<void> {
  await pool.query({
    name: 'keep-forwarded',
    text: `INSERT INTO forwarded_requests (event_id, day, agent_id, cost_usd, session_id, provider, model, charges)
           SELECT * FROM unnest(${listed})
             AS kept (event_id) ORDER BY event_id
           ON CONFLICT (event_id) DO UPDATE SET seen_at = clock_timestamp()`,
    values: listColumns(spends),
  });
}

type Row = Omit<ForwardedSpend, 'request'> & { [Detail in 'sessionId' | 'provider' | 'model']: string | null };

/** Forwarded requests that were silent for so long by Postgres' clock, oldest first. */
export async function listForwarded(pool: Pool, silentMs: number, limit: number): Promise<ForwardedSpend[]> {
  const { rows } = await pool.query<Row>({
    name: 'list-forwarded',
    text: `SELECT event_id AS "eventId", day::text, agent_id AS "agentId", (1e9 * cost_usd)::bigint AS "costNanoUsd",
             session_id AS "sessionId", provider, model, charges
           FROM forwarded_requests WHERE seen_at < clock_timestamp() - $1 * interval '1 millisecond'
           ORDER BY seen_at LIMIT $2`,
    values: [silentMs, limit],
  });
  return rows.map(({ sessionId, provider, model, ...spend }) => ({
    ...spend,
    request: sessionId === null || provider === null ? null : { sessionId, provider, model },
  }));
}

/** Forgets forwarded requests, unless they were heard of meanwhile. */
export async function removeForwarded(pool: Pool, eventIds: readonly string[], silentMs: number): Promise<void> {
  await pool.query({
    name: 'remove-forwarded',
    text: `DELETE FROM forwarded_requests
           WHERE event_id = ANY($1::uuid[]) AND seen_at < clock_timestamp() - $2 * interval '1 millisecond'`,
    values: [eventIds, silentMs],
  });
}
