import { type Kysely, sql } from 'kysely';

/** Messages of severe alerts go first, and names that were seen are counted by agent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE alert_deliveries ADD COLUMN urgency smallint NOT NULL DEFAULT 1`.execute(db);
  await sql`
    CREATE INDEX alert_deliveries_by_urgency ON alert_deliveries (target_id, urgency, next_at, seq)
      WHERE delivered_at IS NULL AND dead_at IS NULL`.execute(db);
  await sql`CREATE INDEX seen_names_by_agent ON seen_names (agent_id, kind)`.execute(db);
}
