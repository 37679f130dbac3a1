import { type Kysely, sql } from 'kysely';

/** When a key got its secret: two people who rotate it at once are told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE api_keys ADD COLUMN rotated_at timestamptz(3)`.execute(db);
}
