import { type Kysely, sql } from 'kysely';

/** When a key got its secret: two people who rotate it at once are told. When an agent got its cap: refusals before it say nothing of it. A session keeps the name that its caller gave it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE api_keys ADD COLUMN rotated_at timestamptz(3)`.execute(db);
  await sql`ALTER TABLE agents ADD COLUMN cap_changed_at timestamptz(3)`.execute(db);
  await sql`ALTER TABLE sessions ADD COLUMN name text`.execute(db);
  await sql`CREATE INDEX sessions_by_name ON sessions (name, started_at DESC) WHERE name IS NOT NULL`.execute(db);
}
