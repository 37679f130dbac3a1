import { type Kysely, sql } from 'kysely';

/**
 * Requests that were forwarded while Redis was away, until they are recorded or their proxy is found dead. The time is Postgres' own:
 * clocks of proxies may be wrong.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE forwarded_requests (
      event_id    uuid PRIMARY KEY,
      day         date NOT NULL,
      agent_id    uuid NOT NULL,
      cost_usd    numeric(20, 9) NOT NULL CHECK (cost_usd >= 0),
      session_id  text,
      provider    text,
      model       text,
      seen_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`.execute(db);
  await sql`CREATE INDEX forwarded_requests_by_time ON forwarded_requests (seen_at)`.execute(db);
}
