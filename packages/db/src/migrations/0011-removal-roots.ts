import { type Kysely, sql } from 'kysely';

/**
 * Links each anchor to the removal that made it, so that the removal's audit entry can commit to its anchors. Anchors of older
 * versions belong to no removal: the UUID of zeros.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE lineage_anchors
      ADD COLUMN removal uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'`.execute(db);
  await sql`CREATE INDEX lineage_anchors_by_removal ON lineage_anchors (removal, session_id, first_seq)`.execute(db);
}
