import type { LineageHead } from '@agp/core/lineage';
import type { Db } from '../../database.ts';

/** How long a session's chain is, and how it ends, as the writer keeps it beside the events; undefined where there is none. */
export function readLineageHead(db: Db, sessionId: string): Promise<LineageHead | undefined> {
  return db
    .selectFrom('lineage_heads')
    .select(['length', 'hash'])
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
}
