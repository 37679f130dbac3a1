import { type Kysely, sql } from 'kysely';

/** When a block ends by itself; null for one that somebody ends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE agents ADD COLUMN blocked_until timestamptz(3)`.execute(db);
  await sql`CREATE INDEX agents_by_end_of_block ON agents (blocked_until) WHERE blocked_until IS NOT NULL`.execute(db);
}
