import { randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import { type Anchor, anchorLeaf, MerkleTree } from '@agp/core/lineage';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../database.ts';

/** A removal: how much it took, and what it kept instead. */
export interface Removed {
  events: number;
  sessions: number;
  /** Public id of the removal, which its anchors carry. */
  removal: string;
  /** How many anchors it made. */
  anchors: number;
  /** RFC 6962 Merkle root over its anchors, by session and then by place. */
  anchors_root: string;
}

/** Anchors of a removal that are in memory at a time: a week may leave millions. */
const fetchSize = 5_000;

/**
 * Keeps an anchor for each unbroken run of links that a removal takes out of a session's chain. Chains are in the order of recording and
 * partitions in the order of ids, so a run may end in the middle of a chain, and a session may have several.
 *
 * @param links a query for `session_id`, `seq` and `lineage_hash` of each removed link
 */
export async function keepAnchors(transaction: Db, links: RawBuilder<unknown>): Promise<Removed> {
  const removal = randomUUIDv7();
  const { rows } = await sql<Pick<Removed, 'events' | 'sessions'>>`
    WITH removed AS (${links}),
    placed AS (
      SELECT session_id, seq, lineage_hash,
        lag(seq) OVER chain IS DISTINCT FROM seq - 1 AS is_first, lead(seq) OVER chain IS DISTINCT FROM seq + 1 AS is_last
      FROM removed WINDOW chain AS (PARTITION BY session_id ORDER BY seq)
    ),
    ends AS (
      SELECT session_id, seq AS last_seq, lineage_hash, is_last,
        CASE WHEN is_first THEN seq ELSE lag(seq) OVER (PARTITION BY session_id ORDER BY seq) END AS first_seq
      FROM placed WHERE is_first OR is_last
    ),
    -- Two links at one place are forged; they must not stop the removal of everything else.
    kept AS (
      INSERT INTO lineage_anchors (session_id, first_seq, last_seq, lineage_hash, removal)
      SELECT session_id, first_seq, last_seq, lineage_hash, ${removal}::uuid FROM ends WHERE is_last
      ON CONFLICT (session_id, first_seq) DO NOTHING
    )
    SELECT coalesce(sum(last_seq - first_seq + 1), 0) AS events, count(DISTINCT session_id) AS sessions
    FROM ends WHERE is_last`.execute(transaction);
  const { events, sessions } = rows[0] ?? { events: 0, sessions: 0 };
  const kept = await hashAnchors(transaction, removal);
  return { events, sessions, removal: toPublicId('rem', removal), ...kept };
}

async function hashAnchors(transaction: Db, removal: string): Promise<Pick<Removed, 'anchors' | 'anchors_root'>> {
  // Sorted by bytes, the column's collation, so that a check does not depend on our locale.
  await sql`
    DECLARE kept_anchors NO SCROLL CURSOR FOR
    SELECT session_id, first_seq, last_seq, lineage_hash FROM lineage_anchors
    WHERE removal = ${sql.lit(removal)}::uuid ORDER BY session_id, first_seq`.execute(transaction);
  const tree = new MerkleTree();
  let anchors = 0;
  for (;;) {
    const { rows } = await sql<Anchor>`FETCH ${sql.lit(fetchSize)} FROM kept_anchors`.execute(transaction);
    for (const anchor of rows) tree.add(anchorLeaf(anchor));
    anchors += rows.length;
    if (rows.length < fetchSize) break;
  }
  await sql`CLOSE kept_anchors`.execute(transaction);
  return { anchors, anchors_root: tree.root() };
}
