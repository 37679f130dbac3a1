import type { Pool } from 'pg';

/** Requests that were refused in one minute, for one reason. */
export interface RefusalCount {
  /** The start of the minute, in milliseconds since 1970 UTC. */
  minute: number;
  /** UUID; null where no registered agent is known to have sent them. */
  agentId: string | null;
  /** Code of the error that they were answered with. */
  reason: string;
  count: number;
  /** Of the latest of them. */
  sourceIp: string;
  /** When the latest was refused, in milliseconds since 1970 UTC. */
  refusedAt: number;
  /** The first of them. */
  requests: RefusedRequest[];
}

/** One refused request, for the list of them. */
export interface RefusedRequest {
  /** A UUIDv7, which holds the time. */
  id: string;
  /** As in {@link RefusalCount}. */
  agentId: string | null;
  reason: string;
  requestId: string;
  sourceIp: string;
  /** Null where none is known. */
  provider: string | null;
  /** Of the target, without query and agent's name; null where it cannot be shown. */
  path: string | null;
}

const text = `
  WITH listed AS (
    INSERT INTO refused_requests (id, agent_id, reason, request_id, source_ip, provider, path)
    SELECT * FROM unnest($7::uuid[], $8::uuid[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
    ON CONFLICT DO NOTHING
  )
  INSERT INTO refusal_counts (minute, agent_id, reason, count, source_ip, refused_at)
  SELECT * FROM unnest($1::timestamptz[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::timestamptz[])
    AS counted (minute, agent_id, reason, count, source_ip, refused_at)
  ORDER BY minute, agent_id NULLS FIRST, reason COLLATE "C"
  ON CONFLICT (minute, agent_id, reason) DO UPDATE SET
    count = refusal_counts.count + EXCLUDED.count,
    source_ip = CASE WHEN EXCLUDED.refused_at < refusal_counts.refused_at
      THEN refusal_counts.source_ip ELSE EXCLUDED.source_ip END,
    refused_at = greatest(refusal_counts.refused_at, EXCLUDED.refused_at)`;

/**
 * Adds to the refusals of their minutes, and lists some of them, in one statement; each minute, agent and reason at most once a call. All
 * proxies, and the writer that seals them, lock rows in this order.
 */
export async function addRefusals(pool: Pool, counts: readonly RefusalCount[]): Promise<void> {
  const listed = counts.flatMap(({ requests }) => requests);
  await pool.query({
    name: 'add-refusals',
    text,
    values: [
      counts.map(({ minute }) => new Date(minute).toISOString()),
      counts.map(({ agentId }) => agentId),
      counts.map(({ reason }) => reason),
      counts.map(({ count }) => count),
      counts.map(({ sourceIp }) => sourceIp),
      counts.map(({ refusedAt }) => new Date(refusedAt).toISOString()),
      listed.map(({ id }) => id),
      listed.map(({ agentId }) => agentId),
      listed.map(({ reason }) => reason),
      listed.map(({ requestId }) => requestId),
      listed.map(({ sourceIp }) => sourceIp),
      listed.map(({ provider }) => provider),
      listed.map(({ path }) => path),
    ],
  });
}
