import { emptyHead } from '@agp/core/lineage';
import type { ClientBase } from 'pg';
import { toPlainArray } from './to-array-literal.ts';

const text = `
  INSERT INTO lineage_heads (session_id, length, hash)
  SELECT session_id, 0, $2 FROM unnest($1::text[]) AS asked (session_id) ORDER BY session_id COLLATE "C"
  ON CONFLICT (session_id) DO UPDATE SET length = lineage_heads.length WHERE false`;

/**
 * Locks the heads of the sessions until the transaction ends, in one order for every writer; a session without a head
 * gets an empty one. One statement does both: locking what exists first and inserting what is missing after it would
 * let two writers wait for each other. A row on which DO UPDATE has nothing to do is locked all the same (PostgreSQL
 * manual, INSERT), and not rewritten.
 */
export async function lockHeads(client: ClientBase, sessionIds: readonly string[]): Promise<void> {
  await client.query({ name: 'lock-heads', text, values: [toPlainArray(sessionIds), emptyHead.hash] });
}
