import type { Pool } from 'pg';

export interface BillClaim {
  /** The provider's id as configured. */
  provider: string;
  /** The provider's own id of what it bills once. */
  bill: string;
  /** UUID of the event that would carry the cost. */
  eventId: string;
  /** Another bill of the provider's, which nobody may have claimed yet. */
  whileOpen?: string | undefined;
}

/** A claim whose event was never recorded is given up after this long: by then no queue holds it any more. */
const claimHolds = '1 day';

/**
 * Claims a bill for an event. The first claim wins, unless its event was lost before it was recorded. An event may repeat its claim:
 * the answer to the first try may have been lost.
 *
 * @returns whether the event is to carry the cost
 */
export async function claimBill(pool: Pool, { provider, bill, eventId, whileOpen }: BillClaim): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'claim-bill',
    text: `INSERT INTO claimed_bills AS claimed (provider, bill, event_id)
           SELECT $1::text, $2::text, $3::uuid
           WHERE NOT EXISTS (SELECT FROM claimed_bills WHERE provider = $1 AND bill = $5)
           ON CONFLICT (provider, bill) DO UPDATE SET event_id = EXCLUDED.event_id, claimed_at = clock_timestamp()
           WHERE claimed.event_id = EXCLUDED.event_id
              OR (claimed.claimed_at < clock_timestamp() - $4::interval
                  AND NOT EXISTS (SELECT FROM events WHERE id = claimed.event_id))`,
    values: [provider, bill, eventId, claimHolds, whileOpen ?? null],
  });
  return rowCount === 1;
}
