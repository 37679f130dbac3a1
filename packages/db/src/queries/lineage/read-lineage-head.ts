import type { LineageHead } from '@agp/core/lineage';
import type { Db } from '../../database.ts';

/** Length and last hash of a session's chain, which the writer stores apart from the events; undefined for an unknown session. */
export function readLineageHead(db: Db, sessionId: string): Promise<LineageHead | undefined> {
  return db
    .selectFrom('lineage_heads')
    .select(['length', 'hash'])
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
}
