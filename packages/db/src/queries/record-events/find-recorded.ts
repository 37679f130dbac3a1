import type { ClientBase } from 'pg';
import { toPlainArray } from './to-array-literal.ts';

// One look-up for each id, in its one partition. OFFSET 0 enforces that plan: others read everything between the ids, a whole index, or
// every partition.
const text = `
  SELECT found.id, found.lineage_hash FROM unnest($1::uuid[]) AS asked (id)
  CROSS JOIN LATERAL (SELECT id, lineage_hash FROM events WHERE events.id = asked.id OFFSET 0) AS found`;

/**
 * The lineage hashes of those events that are recorded already, by event id (UUID). Run it after the heads are
 * locked, as a statement of its own: its snapshot then holds all that was committed before the lock was got.
 */
export async function findRecorded(client: ClientBase, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; lineage_hash: string }>({
    name: 'find-recorded',
    text,
    values: [toPlainArray(ids)],
  });
  return new Map(rows.map((row) => [row.id, row.lineage_hash]));
}
