import type { LineageHead } from '@agp/core/lineage';
import type { ClientBase } from 'pg';
import { toPlainArray } from './to-array-literal.ts';

// An upsert of rows that exist: unlike UPDATE ... FROM it goes through the primary key whatever the statistics say.
const text = `
  INSERT INTO lineage_heads (session_id, length, hash)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
  ON CONFLICT (session_id) DO UPDATE SET length = EXCLUDED.length, hash = EXCLUDED.hash`;

/** Moves heads that this transaction has locked. */
export async function advanceHeads(client: ClientBase, heads: ReadonlyMap<string, LineageHead>): Promise<void> {
  const values = [...heads.values()];
  await client.query({
    name: 'advance-heads',
    text,
    values: [
      toPlainArray([...heads.keys()]),
      toPlainArray(values.map(({ length }) => length)),
      toPlainArray(values.map(({ hash }) => hash)),
    ],
  });
}
