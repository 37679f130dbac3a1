import { type Kysely, sql } from 'kysely';

/** What policies decided, counted by hour and found by policy, rule and action; and the text of a policy as it was written. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Spread over several rows, so that writers and proxies do not wait for one row's lock.
  await sql`
    CREATE TABLE hourly_decisions (
      hour         timestamptz NOT NULL,
      policy       text NOT NULL,
      rule         text NOT NULL,
      action       text NOT NULL,
      shard        smallint NOT NULL,
      event_count  bigint NOT NULL,
      PRIMARY KEY (hour, policy, rule, action, shard)
    ) WITH (fillfactor = 70)`.execute(db);
  await sql`
    ALTER TABLE refused_requests ADD COLUMN decision jsonb, ADD COLUMN count bigint NOT NULL DEFAULT 1`.execute(db);
  await sql`
    CREATE INDEX refused_requests_by_decision ON refused_requests USING gin (decision jsonb_path_ops)
    WHERE decision IS NOT NULL`.execute(db);
  await sql`
    CREATE INDEX events_by_decision ON ONLY events USING gin (decision jsonb_path_ops) WHERE decision IS NOT NULL`.execute(
    db,
  );
  await sql`ALTER TABLE policies ADD COLUMN text text`.execute(db);
}
