import type { Pool } from 'pg';
import type { ForwardedSpend } from './keep-forwarded.ts';

interface Row {
  event_id: string;
  day: string;
  agent_id: string;
  cost_nano_usd: number;
  session_id: string | null;
  provider: string | null;
  model: string | null;
}

/**
 * Forwarded requests of which nothing was heard for so long, oldest first.
 *
 * @param silentMs by Postgres' clock, which set their time too
 */
export async function listForwarded(pool: Pool, silentMs: number, limit: number): Promise<ForwardedSpend[]> {
  const { rows } = await pool.query<Row>({
    name: 'list-forwarded',
    text: `SELECT event_id, day::text, agent_id, (1e9 * cost_usd)::bigint AS cost_nano_usd, session_id, provider, model
           FROM forwarded_requests WHERE seen_at < clock_timestamp() - $1 * interval '1 millisecond'
           ORDER BY seen_at LIMIT $2`,
    values: [silentMs, limit],
  });
  return rows.map(({ event_id, day, agent_id, cost_nano_usd, session_id, provider, model }) => ({
    eventId: event_id,
    day,
    agentId: agent_id,
    costNanoUsd: cost_nano_usd,
    request: session_id === null || provider === null ? null : { sessionId: session_id, provider, model },
  }));
}
