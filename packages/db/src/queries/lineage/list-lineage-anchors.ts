import type { RemovedLinks } from '@agp/core/lineage';
import type { Db } from '../../database.ts';

/** The runs of links that retention removed from a session's chain, in its order. Few: in nearly all sessions at most one for each week. */
export function listLineageAnchors(db: Db, sessionId: string): Promise<RemovedLinks[]> {
  return db
    .selectFrom('lineage_anchors')
    .select(['first_seq', 'last_seq', 'lineage_hash'])
    .where('session_id', '=', sessionId)
    .orderBy('first_seq')
    .execute();
}
