import type { Pool } from 'pg';

/** Which of the events, by UUID, are part of the spend of their day: recorded, or kept as unrecorded. */
export async function findRecordedIds(pool: Pool, eventIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find-recorded-ids',
    // OFFSET 0: each event is looked up in its one partition.
    text: `SELECT found.id FROM unnest($1::uuid[]) AS asked (id)
           CROSS JOIN LATERAL (SELECT id FROM events WHERE events.id = asked.id OFFSET 0) AS found
           UNION SELECT event_id FROM unrecorded_spend WHERE event_id = ANY($1::uuid[])`,
    values: [eventIds],
  });
  return rows.map(({ id }) => id);
}
