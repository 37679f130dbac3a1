import type { Db } from '../../database.ts';

/** A run of links that retention removed from a session's chain, first and last included. */
export interface LineageAnchorRow {
  first_seq: number;
  last_seq: number;
  /** Of the last one: what the next link's hash covers. */
  lineage_hash: string;
}

/** What retention removed from a session's chain, in its order. Few: one for each week at most, in nearly all sessions. */
export function listLineageAnchors(db: Db, sessionId: string): Promise<LineageAnchorRow[]> {
  return db
    .selectFrom('lineage_anchors')
    .select(['first_seq', 'last_seq', 'lineage_hash'])
    .where('session_id', '=', sessionId)
    .orderBy('first_seq')
    .execute();
}
