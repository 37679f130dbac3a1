import { type Kysely, sql } from 'kysely';

/** What a provider bills once however often it is fetched, such as a batch's results, and the event that carries its cost. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE claimed_bills (
      provider    text NOT NULL,
      bill        text NOT NULL,
      event_id    uuid NOT NULL,
      claimed_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (provider, bill)
    )`.execute(db);
}
