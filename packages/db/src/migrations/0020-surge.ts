import { type Kysely, sql } from 'kysely';

/** A new installation is told of agents that run away. An old one is not: the release before could not read the rule, if somebody goes back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    INSERT INTO notification_rules (name, rule)
    SELECT 'runaway-agents', '{"name": "runaway-agents", "on": "surge"}'
    WHERE NOT EXISTS (SELECT FROM agents) AND NOT EXISTS (SELECT FROM notification_rules WHERE name = 'runaway-agents')`.execute(
    db,
  );
}
