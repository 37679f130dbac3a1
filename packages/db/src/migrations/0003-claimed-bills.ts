import { type Kysely, sql } from 'kysely';

/** Bills that a provider charges once however often the results are fetched, such as a batch's, and the event that carries the cost. */
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
