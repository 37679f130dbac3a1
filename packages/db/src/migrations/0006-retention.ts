import { type Kysely, sql } from 'kysely';

/**
 * Anchors of removed events: a row for each unbroken run of events that retention removed from a chain, with the hash of the last
 * one, which the next event's hash covers. They are kept for ever, to distinguish a removal from a loss. A version that does not
 * know the table only reports such chains as broken.
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
