import { type Kysely, sql } from 'kysely';

/** The audit log is listed by number: of one agent and of one action too, without reading all that they have. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE INDEX audit_log_by_agent_and_seq ON audit_log (agent_id, seq) WHERE agent_id IS NOT NULL`.execute(db);
  await sql`CREATE INDEX audit_log_by_action_and_seq ON audit_log (action, seq)`.execute(db);
}
