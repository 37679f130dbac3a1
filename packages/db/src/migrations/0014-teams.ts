import { type Kysely, sql } from 'kysely';

/**
 * A team is the agents with some labels. Keys and sessions with a `match` are a team's; what a team writes is its own by the setting of
 * its connections, and all else is the whole installation's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const ofTeam = sql`team jsonb DEFAULT nullif(current_setting('agp.team', true), '')::jsonb`;
  await sql`CREATE INDEX agents_by_label ON agents USING gin (metadata jsonb_path_ops)`.execute(db);
  await sql`ALTER TABLE api_keys ADD COLUMN match jsonb`.execute(db);
  await sql`ALTER TABLE console_sessions ADD COLUMN match jsonb`.execute(db);
  await sql`ALTER TABLE audit_log ADD COLUMN ${ofTeam}`.execute(db);
  await sql`ALTER TABLE policies ADD COLUMN ${ofTeam}`.execute(db);
  await sql`ALTER TABLE budgets ADD COLUMN ${ofTeam}`.execute(db);
}
