import { type Kysely, sql } from 'kysely';

/**
 * What an operator asks of a request that ended without a record. When it began, its id holds. Rows of versions before this one, and those
 * that such a version adds beside it, say `unknown`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE unrecorded_spend
      ADD COLUMN session_id  text,
      ADD COLUMN provider    text,
      ADD COLUMN model       text,
      ADD COLUMN reason      text NOT NULL DEFAULT 'unknown',
      ADD COLUMN noted_at    timestamptz(3)`.execute(db);
  // Not in the same step: nobody knows when the rows that are there were added.
  await sql`ALTER TABLE unrecorded_spend ALTER COLUMN noted_at SET DEFAULT clock_timestamp()`.execute(db);
}
