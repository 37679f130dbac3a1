import type { LineageHead } from '@agp/core/lineage';
import type { ClientBase } from 'pg';
import { toPlainArray } from './to-array-literal.ts';

const text = 'SELECT session_id, length, hash FROM lineage_heads WHERE session_id = ANY ($1::text[])';

/**
 * The heads of the sessions. Run it after they are locked, as a statement of its own: its snapshot then holds all
 * that was committed before the locks were got.
 */
export async function readHeads(client: ClientBase, sessionIds: readonly string[]): Promise<Map<string, LineageHead>> {
  const { rows } = await client.query<LineageHead & { session_id: string }>({
    name: 'read-heads',
    text,
    values: [toPlainArray(sessionIds)],
  });
  return new Map(rows.map((row) => [row.session_id, row]));
}
