import type { Db } from '../database.ts';

export interface LineageRow {
  id: string;
  seq: number;
  lineage_hash: string;
  payload: string;
}

const pageSize = 500;

/** The UUIDs of a session's events in chain order: no index is kept on `seq`, so the order is read once. */
export async function readLineageOrder(db: Db, sessionId: string): Promise<string[]> {
  const rows = await db.selectFrom('events').select('id').where('session_id', '=', sessionId).orderBy('seq').execute();
  return rows.map((row) => row.id);
}

/**
 * The links of one chain in pages: the texts of a long chain do not fit in memory.
 *
 * @param order as {@link readLineageOrder} gave it
 */
export async function* listLineageEntries(db: Db, order: readonly string[]): AsyncGenerator<LineageRow[]> {
  for (let start = 0; start < order.length; start += pageSize) {
    yield await db
      .selectFrom('events')
      .select(['id', 'seq', 'lineage_hash', 'payload'])
      .where('id', 'in', order.slice(start, start + pageSize))
      .orderBy('seq')
      .execute();
  }
}
