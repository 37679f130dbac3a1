import { type Kysely, sql } from 'kysely';

/** Policies, what they decided of each event, and a version that each change of them raises and proxies read with an agent's status. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE policies (
      id          uuid PRIMARY KEY,
      name        text NOT NULL UNIQUE,
      version     integer NOT NULL DEFAULT 1,
      policy      jsonb NOT NULL,
      created_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`.execute(db);
  await sql`ALTER TABLE refused_requests ADD COLUMN rule text`.execute(db);
  await sql`CREATE INDEX refused_requests_by_rule ON refused_requests (id DESC) WHERE rule IS NOT NULL`.execute(db);
  await sql`ALTER TABLE events ADD COLUMN decision jsonb, ADD COLUMN tools jsonb, ADD COLUMN asked jsonb`.execute(db);
  // Partitions get theirs beside running writers.
  await sql`CREATE INDEX events_decided ON ONLY events (id DESC) WHERE decision IS NOT NULL`.execute(db);
  // Last, since every request reads it.
  await sql`ALTER TABLE control ADD COLUMN policy_version bigint NOT NULL DEFAULT 0`.execute(db);
}
