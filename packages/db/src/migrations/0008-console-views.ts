import { type Kysely, sql } from 'kysely';

/** Lists of the console as people saved them; those without an owner are everybody's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE console_views (
      id          uuid PRIMARY KEY,
      owner       text,
      screen      text NOT NULL,
      name        text NOT NULL,
      query       text NOT NULL,
      created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
      UNIQUE NULLS NOT DISTINCT (owner, screen, name)
    )`.execute(db);
}
