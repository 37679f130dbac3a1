import { emptyHead, type LineageHead } from '@agp/core/lineage';
import type { ClientBase } from 'pg';
import { toPlainArray } from './array-literals.ts';

const lockText = `
  INSERT INTO lineage_heads (session_id, length, hash)
  SELECT session_id, 0, $2 FROM unnest($1::text[]) AS asked (session_id) ORDER BY session_id COLLATE "C"
  ON CONFLICT (session_id) DO UPDATE SET length = lineage_heads.length WHERE false`;

/**
 * Locks the heads of the sessions until the transaction ends, in one order for every writer; a session without a head gets an empty one.
 * One statement does both, or two writers could wait for each other. A row on which DO UPDATE has nothing to do is locked all the same
 * (PostgreSQL manual, INSERT), and not rewritten.
 */
export async function lockHeads(client: ClientBase, sessionIds: readonly string[]): Promise<void> {
  await client.query({ name: 'lock-heads', text: lockText, values: [toPlainArray(sessionIds), emptyHead.hash] });
}

/** Run it after they are locked, as a statement of its own: its snapshot then holds all that was committed before. */
export async function readHeads(client: ClientBase, sessionIds: readonly string[]): Promise<Map<string, LineageHead>> {
  const { rows } = await client.query<LineageHead & { session_id: string }>({
    name: 'read-heads',
    text: 'SELECT session_id, length, hash FROM lineage_heads WHERE session_id = ANY ($1::text[])',
    values: [toPlainArray(sessionIds)],
  });
  return new Map(rows.map((row) => [row.session_id, row]));
}

// Unlike UPDATE ... FROM, an upsert of rows that exist goes through the primary key whatever the statistics say.
const advanceText = `
  INSERT INTO lineage_heads (session_id, length, hash)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
  ON CONFLICT (session_id) DO UPDATE SET length = EXCLUDED.length, hash = EXCLUDED.hash`;

/** Moves heads that this transaction has locked. */
export async function advanceHeads(client: ClientBase, heads: ReadonlyMap<string, LineageHead>): Promise<void> {
  const values = [...heads.values()];
  const columns = [[...heads.keys()], values.map(({ length }) => length), values.map(({ hash }) => hash)];
  await client.query({ name: 'advance-heads', text: advanceText, values: columns.map(toPlainArray) });
}
