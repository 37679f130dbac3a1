import { type Kysely, sql } from 'kysely';

/** What a refused agent was told, if that says more than the reason; the index by rule has no reader. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE refused_requests ADD COLUMN told text`.execute(db);
  await sql`DROP INDEX refused_requests_by_rule`.execute(db);
}
