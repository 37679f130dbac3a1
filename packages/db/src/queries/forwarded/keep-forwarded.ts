import { toEventText } from '@agp/core/events';
import { nanoToDecimal } from '@agp/core/money';
import type { Pool } from 'pg';
import type { UnrecordedSpend } from '../costs/add-unrecorded-spend.ts';

/** A request on its way to its provider, with the cost that is reserved for it. */
export type ForwardedSpend = Omit<UnrecordedSpend, 'reason'>;

/** Keeps forwarded requests for whoever finds their proxy dead. Repeated calls say that it lives. */
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
