import { type Kysely, sql } from 'kysely';

/** What providers billed beside what is recorded, as it was read each night; the costs of a month that a target is told of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE billed_days (
      provider        text COLLATE "C" NOT NULL,
      day             date NOT NULL,
      model           text COLLATE "C" NOT NULL,
      recorded_usd    numeric(30, 9) NOT NULL,
      billed_usd      numeric(30, 9) NOT NULL,
      unrecorded_usd  numeric(30, 9) NOT NULL,
      doubtful_usd    numeric(30, 9) NOT NULL,
      other_day_usd   numeric(30, 9) NOT NULL,
      unpriced_usd    numeric(30, 9) NOT NULL,
      beside_usd      numeric(30, 9) NOT NULL,
      PRIMARY KEY (day, provider, model)
    )`.execute(db);
  await sql`
    CREATE TABLE bill_reads (
      provider  text PRIMARY KEY,
      tried_at  timestamptz(3) NOT NULL,
      read_at   timestamptz(3),
      error     text
    )`.execute(db);
  await sql`ALTER TABLE notification_targets ADD COLUMN reported_month text, ADD COLUMN report_tried_at timestamptz(3)`.execute(
    db,
  );
  await sql`ALTER TABLE alert_deliveries ADD COLUMN report jsonb`.execute(db);
}
