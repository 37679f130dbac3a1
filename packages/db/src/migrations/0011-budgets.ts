import { type Kysely, sql } from 'kysely';

/** Budgets, what was used of each by window, and a version that each change raises and every request reads. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `active` is what requests are held to: another definition takes its place once what it counts is summed up.
  await sql`
    CREATE TABLE budgets (
      id            uuid PRIMARY KEY,
      name          text NOT NULL UNIQUE,
      version       integer NOT NULL DEFAULT 1,
      budget        jsonb NOT NULL,
      epoch         integer NOT NULL DEFAULT 1,
      active        jsonb,
      active_epoch  integer,
      created_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`.execute(db);
  // Spread over several rows, so that writers do not wait for one row's lock. Shard -1 has what was used before the budget was made.
  await sql`
    CREATE TABLE budget_spend (
      budget_id  uuid NOT NULL,
      epoch      integer NOT NULL,
      key        text COLLATE "C" NOT NULL,
      starts_at  timestamptz(3) NOT NULL,
      shard      smallint NOT NULL,
      cost_usd   numeric(30, 9) NOT NULL,
      tokens     bigint NOT NULL,
      requests   bigint NOT NULL,
      PRIMARY KEY (budget_id, epoch, key, starts_at, shard)
    ) WITH (fillfactor = 70)`.execute(db);
  // Amounts by the scopes of budgets: what is lost or not recorded yet counts there too.
  await sql`ALTER TABLE unrecorded_spend ADD COLUMN charges jsonb`.execute(db);
  await sql`
    CREATE INDEX unrecorded_spend_by_charge ON unrecorded_spend USING gin (charges) WHERE charges IS NOT NULL`.execute(
    db,
  );
  await sql`ALTER TABLE forwarded_requests ADD COLUMN charges jsonb`.execute(db);
  // Last, since every request reads it.
  await sql`ALTER TABLE control ADD COLUMN budget_version bigint NOT NULL DEFAULT 0`.execute(db);
}
