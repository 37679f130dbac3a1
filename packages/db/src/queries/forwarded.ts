import { toEventText } from '@agp/core/events';
import { nanoToDecimal } from '@agp/core/money';
import type { Pool } from 'pg';
import type { UnrecordedSpend } from './unrecorded.ts';

export type ForwardedSpend = Omit<UnrecordedSpend, 'reason'>;

/** Keeps forwarded requests for the writer that finds their proxy dead. Repeated calls say that it lives. */
export async function keepForwarded(pool: Pool, spends: readonly ForwardedSpend[]): Promise<void> {
  const toText = (value: string | null | undefined) => (value == null ? null : toEventText(value, 256));
  await pool.query({
    name: 'keep-forwarded',
    text: `INSERT INTO forwarded_requests (event_id, day, agent_id, cost_usd, session_id, provider, model)
           SELECT * FROM unnest($1::uuid[], $2::date[], $3::uuid[], $4::numeric[], $5::text[], $6::text[], $7::text[])
             AS kept (event_id) ORDER BY event_id
           ON CONFLICT (event_id) DO UPDATE SET seen_at = clock_timestamp()`,
    values: [
      spends.map(({ eventId }) => eventId),
      spends.map(({ day }) => day),
      spends.map(({ agentId }) => agentId),
      spends.map(({ costNanoUsd }) => nanoToDecimal(costNanoUsd)),
      spends.map(({ request }) => toText(request?.sessionId)),
      spends.map(({ request }) => toText(request?.provider)),
      spends.map(({ request }) => toText(request?.model)),
    ],
  });
}

type Row = Omit<ForwardedSpend, 'request'> & { [Detail in 'sessionId' | 'provider' | 'model']: string | null };

/** Forwarded requests that were silent for so long by Postgres' clock, oldest first. */
export async function listForwarded(pool: Pool, silentMs: number, limit: number): Promise<ForwardedSpend[]> {
  const { rows } = await pool.query<Row>({
    name: 'list-forwarded',
    text: `SELECT event_id AS "eventId", day::text, agent_id AS "agentId", (1e9 * cost_usd)::bigint AS "costNanoUsd",
             session_id AS "sessionId", provider, model
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
