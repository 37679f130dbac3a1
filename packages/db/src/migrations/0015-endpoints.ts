import { type Kysely, sql } from 'kysely';

/** Which endpoint of its provider served an event. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE events ADD COLUMN endpoint text`.execute(db);
}
