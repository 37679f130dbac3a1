import { type Kysely, sql } from 'kysely';

/**
 * Details of a request that ended without a record; its start time is in its id. Rows that an older version has added, or adds
 * during an upgrade, have the reason `unknown`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE unrecorded_spend
      ADD COLUMN session_id  text,
      ADD COLUMN provider    text,
      ADD COLUMN model       text,
      ADD COLUMN reason      text NOT NULL DEFAULT 'unknown',
      ADD COLUMN noted_at    timestamptz(3)`.execute(db);
  // In a step of its own, so that existing rows, whose time is unknown, stay null.
  await sql`ALTER TABLE unrecorded_spend ALTER COLUMN noted_at SET DEFAULT clock_timestamp()`.execute(db);
}
