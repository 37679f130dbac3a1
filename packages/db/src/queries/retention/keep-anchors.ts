import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../database.ts';

export interface Removed {
  events: number;
  sessions: number;
}

/**
 * Keeps an anchor for each unbroken run of links that a removal takes out of a session's chain. The order of a chain is that of
 * recording and the order of partitions that of ids, so a run may end in the middle of a chain, and a session have several.
 *
 * @param links a query that gives `session_id`, `seq` and `lineage_hash` of each link that is removed
 */
export async function keepAnchors(transaction: Db, links: RawBuilder<unknown>): Promise<Removed> {
  const { rows } = await sql<Removed>`
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
    -- Two links at one place are somebody's forgery, and must not keep all that is old from being removed.
    kept AS (
      INSERT INTO lineage_anchors (session_id, first_seq, last_seq, lineage_hash)
      SELECT session_id, first_seq, last_seq, lineage_hash FROM ends WHERE is_last
      ON CONFLICT (session_id, first_seq) DO NOTHING
    )
    SELECT coalesce(sum(last_seq - first_seq + 1), 0) AS events, count(DISTINCT session_id) AS sessions
    FROM ends WHERE is_last`.execute(transaction);
  return rows[0] as Removed;
}
