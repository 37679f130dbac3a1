import type { Pool } from 'pg';

/**
 * Forgets forwarded requests, but for those that were heard of meanwhile.
 *
 * @param silentMs as in `listForwarded`
 */
export async function removeForwarded(pool: Pool, eventIds: readonly string[], silentMs: number): Promise<void> {
  await pool.query({
    name: 'remove-forwarded',
    text: `DELETE FROM forwarded_requests
           WHERE event_id = ANY($1::uuid[]) AND seen_at < clock_timestamp() - $2 * interval '1 millisecond'`,
    values: [eventIds, silentMs],
  });
}
