import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** How many of some requests have no event yet. @param eventIds UUIDs of the events that will record them */
export async function countUnrecorded(db: Db, eventIds: readonly string[]): Promise<number> {
  if (eventIds.length === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::bigint AS count FROM unnest(${eventIds}::uuid[]) AS held (id)
    WHERE NOT EXISTS (SELECT FROM events WHERE events.id = held.id)
      AND NOT EXISTS (SELECT FROM unrecorded_spend WHERE event_id = held.id)`.execute(db);
  return rows[0]?.count ?? 0;
}
