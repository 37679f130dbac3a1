import { emptyHead, type LineageHead } from '@agp/core/lineage';
import type { ClientBase } from 'pg';

const text = `
  INSERT INTO lineage_heads (session_id, length, hash)
  SELECT session_id, 0, $2 FROM unnest($1::text[]) AS asked (session_id) ORDER BY session_id COLLATE "C"
  ON CONFLICT (session_id) DO UPDATE SET length = lineage_heads.length
  RETURNING session_id, length, hash`;

/**
 * Locks the heads of the sessions until the transaction ends, in one order for every writer, and reads them; a
 * session without a head gets an empty one. One statement does both: locking what exists first and inserting what
 * is missing after it would let two writers wait for each other.
 */
export async function lockHeads(client: ClientBase, sessionIds: string[]): Promise<Map<string, LineageHead>> {
  const { rows } = await client.query<LineageHead & { session_id: string }>({
    name: 'lock-heads',
    text,
    values: [sessionIds, emptyHead.hash],
  });
  return new Map(rows.map(({ session_id, length, hash }) => [session_id, { length, hash }]));
}
