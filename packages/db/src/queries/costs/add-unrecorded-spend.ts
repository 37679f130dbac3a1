import type { UnrecordedReason } from '@agp/core/contracts';
import { toEventText } from '@agp/core/events';
import { nanoToDecimal } from '@agp/core/money';
import type { ClientBase, Pool } from 'pg';

/** The details of a request, without its cost. */
export interface UnrecordedRequest {
  sessionId: string;
  /** The provider's id. */
  provider: string;
  /** Null where none was read. */
  model: string | null;
}

/** The cost of an event that will not be recorded. */
export interface UnrecordedSpend {
  /** UUID */
  eventId: string;
  /** UUID */
  agentId: string;
  /** `YYYY-MM-DD`, UTC */
  day: string;
  costNanoUsd: number;
  reason: UnrecordedReason;
  /** Null where they are no longer known. */
  request: UnrecordedRequest | null;
}

/**
 * Adds the cost of events that were lost or set aside to the spend of their day, unless they are recorded, or were added before.
 *
 * @returns the ids of those that were added
 */
export async function addUnrecordedSpend(
  pool: Pool | ClientBase,
  spends: readonly UnrecordedSpend[],
): Promise<string[]> {
  const toText = (value: string | null | undefined) => (value == null ? null : toEventText(value, 256));
  // OFFSET 0: each event is looked up in its one partition.
  const { rows } = await pool.query<{ event_id: string }>({
    name: 'add-unrecorded-spend',
    text: `INSERT INTO unrecorded_spend (event_id, day, agent_id, cost_usd, reason, session_id, provider, model)
           SELECT * FROM unnest($1::uuid[], $2::date[], $3::uuid[], $4::numeric[], $5::text[], $6::text[], $7::text[], $8::text[])
             AS lost (event_id, day, agent_id, cost_usd, reason, session_id, provider, model)
           WHERE NOT EXISTS (SELECT FROM events WHERE id = lost.event_id OFFSET 0)
           ON CONFLICT (event_id) DO NOTHING
           RETURNING event_id`,
    values: [
      spends.map(({ eventId }) => eventId),
      spends.map(({ day }) => day),
      spends.map(({ agentId }) => agentId),
      spends.map(({ costNanoUsd }) => nanoToDecimal(costNanoUsd)),
      spends.map(({ reason }) => reason),
      spends.map(({ request }) => toText(request?.sessionId)),
      spends.map(({ request }) => toText(request?.provider)),
      spends.map(({ request }) => toText(request?.model)),
    ],
  });
  return rows.map(({ event_id }) => event_id);
}
