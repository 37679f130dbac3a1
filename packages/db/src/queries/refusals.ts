import type { Refusal } from '@agp/core/contracts';
import type { Decision } from '@agp/core/events';
import { uuidTime } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import { addDecidedSql } from '../record-events/decisions.ts';
import { appendAudit } from './audit.ts';
import { countRows, type Decided, firstIdAt, type RequestFilter, wasDecided } from './pages.ts';
import { type RefusalRow, refusalColumns, refusalGroup, toRefusalEntry } from './refusal-columns.ts';

/** Requests that were refused in one minute, for one reason. */
export interface RefusalCount {
  minute: number;
  agentId: string | null;
  reason: string;
  count: number;
  /** The latest one's address and time. */
  sourceIp: string;
  refusedAt: number;
  /** All of them, as far as there is room. */
  requests: RefusedRequest[];
}

export interface RefusedRequest {
  /** A UUIDv7, which holds the time. */
  id: string;
  agentId: string | null;
  reason: string;
  requestId: string;
  sourceIp: string;
  provider: string | null;
  /** `policy rule: why`; null if none refused it. */
  rule: string | null;
  /** All rules that did; null if none did. */
  decision: readonly Pick<Decision, 'policy' | 'rule'>[] | null;
  /** What the agent was told; null if it is what `reason` or `rule` says. */
  told: string | null;
  /** Requests that it stands for, in all and since it was stored before; all else is the first one's. */
  count: number;
  added: number;
  /** The target's path, without query and agent's name; null if it cannot be shown. */
  path: string | null;
}

const text = `
  WITH request AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb) AS request (
      id uuid, "agentId" uuid, reason text, "requestId" text, "sourceIp" text, provider text, path text, rule text,
      decision jsonb, told text, count bigint, added bigint, at timestamptz)
  ), listed AS (
    INSERT INTO refused_requests (id, agent_id, reason, request_id, source_ip, provider, path, rule, decision, told, count)
    SELECT DISTINCT ON (id) id, "agentId", reason, "requestId", "sourceIp", provider, path, rule, decision, told, count
    FROM request ORDER BY id, count DESC
    ON CONFLICT (id) DO UPDATE SET count = greatest(refused_requests.count, EXCLUDED.count)
  ), decided AS (
    SELECT date_trunc('hour', at, 'UTC') AS hour, rules.policy, rules.rule, 'refuse' AS action, added AS count
    FROM request, LATERAL (
      SELECT policy, rule FROM jsonb_to_recordset(decision) AS each (policy text, rule text)
      UNION SELECT policy, '' FROM jsonb_to_recordset(decision) AS each (policy text)
    ) AS rules
  ), counted AS (${addDecidedSql})
  INSERT INTO refusal_counts (minute, agent_id, reason, count, source_ip, refused_at)
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS counted (
    minute timestamptz, "agentId" uuid, reason text, count bigint, "sourceIp" text, "refusedAt" timestamptz)
  ORDER BY minute, "agentId" NULLS FIRST, reason COLLATE "C"
  ON CONFLICT (minute, agent_id, reason) DO UPDATE SET
    count = refusal_counts.count + EXCLUDED.count,
    source_ip = CASE WHEN EXCLUDED.refused_at < refusal_counts.refused_at
      THEN refusal_counts.source_ip ELSE EXCLUDED.source_ip END,
    refused_at = greatest(refusal_counts.refused_at, EXCLUDED.refused_at)`;

/** One statement; all proxies and the sealing writer lock rows in this order. */
export async function addRefusals(pool: Pool, counts: readonly RefusalCount[]): Promise<void> {
  const counted = counts.map(({ requests: _, minute, refusedAt, ...count }) => {
    return { ...count, minute: new Date(minute), refusedAt: new Date(refusedAt) };
  });
  const listed = counts.flatMap(({ requests }) =>
    requests.map((each) => ({ ...each, at: new Date(uuidTime(each.id)) })),
  );
  await pool.query({ name: 'add-refusals', text, values: [JSON.stringify(counted), JSON.stringify(listed)] });
}

interface RefusalFilter extends RequestFilter {
  decided?: Decided | undefined;
  reason?: string | undefined;
  provider?: string | undefined;
  requestId?: string | undefined;
  cursor?: string | undefined;
}

export type RefusedRequestRow = Omit<Refusal, 'timestamp'>;

function filterRefusals(db: Db, filter: RefusalFilter) {
  let query = db
    .selectFrom('refused_requests as refused')
    .leftJoin('agents', 'agents.id', 'refused.agent_id')
    .select(['refused.id', 'refused.agent_id', 'agents.name as agent_name', 'refused.reason', 'refused.request_id'])
    .select(['refused.source_ip', 'refused.provider', 'refused.path', 'refused.rule', 'refused.told', 'refused.count']);
  if (filter.agentId !== undefined) query = query.where('refused.agent_id', '=', filter.agentId);
  if (filter.decided !== undefined) query = query.where(wasDecided(filter.decided));
  if (filter.reason !== undefined) query = query.where('refused.reason', '=', filter.reason);
  if (filter.provider !== undefined) query = query.where('refused.provider', '=', filter.provider);
  if (filter.requestId !== undefined) query = query.where('refused.request_id', '=', filter.requestId);
  if (filter.from !== undefined) query = query.where('refused.id', '>=', firstIdAt(filter.from));
  if (filter.to !== undefined) query = query.where('refused.id', '<', firstIdAt(filter.to));
  if (filter.cursor !== undefined) query = query.where('refused.id', '<', filter.cursor);
  return query;
}

export const listRefusals = (db: Db, filter: RefusalFilter, limit: number): Promise<RefusedRequestRow[]> =>
  filterRefusals(db, filter).orderBy('refused.id', 'desc').limit(limit).execute();

/** Of all pages. @see countRows */
export const countRefusals = (db: Db, filter: RefusalFilter) =>
  countRows(db, filterRefusals(db, { ...filter, cursor: undefined }));

export interface OwnRefusal {
  id: string;
  reason: string;
  /** `policy rule: why`; null if none refused it. */
  rule: string | null;
  count: number;
}

/** The latest refused requests of an agent, the last one first. @param agentId its UUID */
export async function readOwnRefusals(pool: Pool, agentId: string, limit: number): Promise<OwnRefusal[]> {
  const { rows } = await pool.query<OwnRefusal>({
    name: 'read-own-refusals',
    text: 'SELECT id, reason, rule, count FROM refused_requests WHERE agent_id = $1 ORDER BY id DESC LIMIT $2',
    values: [agentId, limit],
  });
  return rows;
}

/** So that changes never wait long for the end of the chain. */
const maxCounts = 500;
const lockKey = 4_704_122;

/**
 * Moves some refusal counts of the oldest minute that ended at least ten seconds ago into the log's chain, in one transaction: at any
 * moment each is in exactly one of the two. Returns 0 if there is nothing to do, or another writer is doing it.
 */
export function sealRefusals(db: Db): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const { rows: locks } = await sql<{ taken: boolean }>`
      SELECT pg_try_advisory_xact_lock(${lockKey}) AS taken`.execute(transaction);
    if (!locks[0]?.taken) return 0;
    // Counts without an agent come first, so that the few of a minute are moved together.
    const { rows: counts } = await sql<{ minute: Date; agent_id: string | null; reason: string }>`
      SELECT minute, agent_id, reason FROM refusal_counts
      WHERE minute = (SELECT min(minute) FROM refusal_counts WHERE minute <= clock_timestamp() - interval '70 seconds')
      ORDER BY agent_id NULLS FIRST, reason COLLATE "C" LIMIT ${maxCounts} FOR UPDATE`.execute(transaction);
    // A separate statement: it sees the locked counts including what a proxy added just before.
    const { rows } = await sql<RefusalRow>`
      WITH moved AS (
        DELETE FROM refusal_counts AS counted
        USING unnest(
          ${counts.map(({ minute }) => minute)}::timestamptz[], ${counts.map(({ agent_id }) => agent_id)}::uuid[],
          ${counts.map(({ reason }) => reason)}::text[]
        ) AS locked (minute, agent_id, reason)
        WHERE counted.minute = locked.minute AND counted.reason = locked.reason
          AND counted.agent_id IS NOT DISTINCT FROM locked.agent_id
        RETURNING counted.*
      )
      SELECT ${refusalColumns} FROM moved GROUP BY ${refusalGroup} ORDER BY agent_id NULLS FIRST`.execute(transaction);
    await appendAudit(transaction, rows.map(toRefusalEntry));
    return counts.length;
  });
}
