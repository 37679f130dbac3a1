import { nanoToDecimal } from '@agp/core/pricing';
import type { Pool } from 'pg';

/** What an event cost that will not be recorded. */
export interface UnrecordedSpend {
  /** UUID */
  eventId: string;
  /** UUID */
  agentId: string;
  /** `YYYY-MM-DD`, UTC */
  day: string;
  costNanoUsd: number;
}

/** Keeps the cost of events that were lost or set aside in the spend of their day, unless they are recorded already. */
export async function addUnrecordedSpend(pool: Pool, spends: readonly UnrecordedSpend[]): Promise<void> {
  await pool.query({
    name: 'add-unrecorded-spend',
    text: `INSERT INTO unrecorded_spend (event_id, day, agent_id, cost_usd)
           SELECT * FROM unnest($1::uuid[], $2::date[], $3::uuid[], $4::numeric[]) AS lost (event_id, day, agent_id, cost_usd)
           WHERE NOT EXISTS (SELECT FROM events WHERE id = lost.event_id)
           ON CONFLICT (event_id) DO NOTHING`,
    values: [
      spends.map(({ eventId }) => eventId),
      spends.map(({ day }) => day),
      spends.map(({ agentId }) => agentId),
      spends.map(({ costNanoUsd }) => nanoToDecimal(costNanoUsd)),
    ],
  });
}
