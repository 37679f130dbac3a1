import { type Kysely, sql } from 'kysely';

/**
 * What is left of links that were removed from chains because they were too old: a row for each unbroken run of them, with the hash
 * of its last one, from which the chain goes on. Kept for ever, so that a removal is told from a loss. A version that does not
 * know the table takes such chains for broken, and nothing else.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE lineage_anchors (
      session_id    text COLLATE "C" NOT NULL,
      first_seq     bigint NOT NULL,
      last_seq      bigint NOT NULL,
      lineage_hash  text NOT NULL,
      PRIMARY KEY (session_id, first_seq)
    )`.execute(db);
}
