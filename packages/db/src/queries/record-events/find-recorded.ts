import type { ClientBase } from 'pg';

// The range is what the partitions are pruned by; an array parameter alone would search each of them.
const text = `
  SELECT id, lineage_hash FROM events
  WHERE id = ANY ($1::uuid[]) AND id >= $2::uuid AND id <= $3::uuid`;

/**
 * The lineage hashes of those events that are recorded already, by event id (UUID). Run it after the heads are
 * locked, as a statement of its own: its snapshot then holds all that was committed before the lock was got.
 */
export async function findRecorded(client: ClientBase, ids: readonly string[]): Promise<Map<string, string>> {
  let [first = '', last = first] = ids;
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  const { rows } = await client.query<{ id: string; lineage_hash: string }>({
    name: 'find-recorded',
    text,
    values: [ids, first, last],
  });
  return new Map(rows.map((row) => [row.id, row.lineage_hash]));
}
