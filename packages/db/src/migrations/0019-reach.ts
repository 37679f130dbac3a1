import { type Kysely, sql } from 'kysely';

/** Whom an alert is of: how many agents in all, and which, as far as they are kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE alerts ADD COLUMN reach integer NOT NULL DEFAULT 0, ADD COLUMN agent_ids uuid[]`.execute(db);
}
