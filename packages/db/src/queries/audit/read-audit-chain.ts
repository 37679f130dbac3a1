import type { LineageHead } from '@agp/core/lineage';
import type { Selectable } from 'kysely';
import type { Db } from '../../database.ts';
import type { Schema } from '../../schema.ts';

export type AuditChainRow = Selectable<Schema['audit_log']>;

const pageSize = 500;

/** The end of the audit log's chain. */
export function readAuditHead(db: Db): Promise<LineageHead> {
  return db.selectFrom('audit_head').select(['length', 'hash']).executeTakeFirstOrThrow();
}

/**
 * The chain in pages, in its order.
 *
 * @param length the number of entries to read; pass the head's length to end at that head
 */
export async function* readAuditChain(db: Db, length: number): AsyncGenerator<AuditChainRow[]> {
  for (let after = -1; ; ) {
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('seq', '>', after)
      .where('seq', '<', length)
      .orderBy('seq')
      .limit(pageSize)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.seq;
  }
}
