import type { Anchor } from '@agp/core/lineage';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { readPages } from '../pages/read-pages.ts';

/** An anchor, and the removal that made it. */
export interface AnchorRow extends Anchor {
  /** UUID */
  removal: string;
}

/** The removal of anchors that were made before removals had ids. */
export const noRemoval = '00000000-0000-0000-0000-000000000000';

/** All anchors in pages, by removal, and within one in the order that its Merkle root covers. */
export function listAnchors(db: Db): AsyncGenerator<AnchorRow[]> {
  return readPages<AnchorRow>({ offset: 0 }, ({ after, limit }) => {
    let query = db
      .selectFrom('lineage_anchors')
      .select(['removal', 'session_id', 'first_seq', 'last_seq', 'lineage_hash']);
    if (after !== undefined) {
      const { removal, session_id, first_seq } = after;
      query = query.where(
        sql<boolean>`(removal, session_id, first_seq) > (${removal}::uuid, ${session_id}, ${first_seq})`,
      );
    }
    return query.orderBy('removal').orderBy('session_id').orderBy('first_seq').limit(limit).execute();
  });
}
