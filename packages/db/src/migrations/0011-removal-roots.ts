import { type Kysely, sql } from 'kysely';

/**
 * Says of each anchor which removal made it, so that the entry of the audit log can commit to the anchors of its own. Those that were
 * made before, or by an older version beside this one, belong to none: the UUID of zeros.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE lineage_anchors
      ADD COLUMN removal uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'`.execute(db);
  await sql`CREATE INDEX lineage_anchors_by_removal ON lineage_anchors (removal, session_id, first_seq)`.execute(db);
}
