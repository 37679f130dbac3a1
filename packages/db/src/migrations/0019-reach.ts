import { type Kysely, sql } from 'kysely';

/** Whom an alert is of: how many agents in all, and which, as far as they are kept. A rule that tells of agents that run away. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE alerts ADD COLUMN reach integer NOT NULL DEFAULT 0, ADD COLUMN agent_ids uuid[]`.execute(db);
  await sql`
    INSERT INTO notification_rules (name, rule) VALUES ('surges', '{"name": "surges", "on": "surge"}')
    ON CONFLICT DO NOTHING`.execute(db);
}
