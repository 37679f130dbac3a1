import { type Kysely, sql } from 'kysely';

/**
 * Usage that has no known price, by provider and model, kept by the writer. It begins with this migration, and a writer
 * that is older than it adds nothing: what was recorded before is not counted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE unpriced_usage (
      provider           text COLLATE "C" NOT NULL,
      model              text COLLATE "C" NOT NULL,
      request_count      bigint NOT NULL,
      prompt_tokens      bigint NOT NULL,
      completion_tokens  bigint NOT NULL,
      first_event_at     timestamptz(3) NOT NULL,
      last_event_at      timestamptz(3) NOT NULL,
      PRIMARY KEY (provider, model)
    ) WITH (fillfactor = 70)`.execute(db);
}
