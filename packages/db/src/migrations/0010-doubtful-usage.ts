import { type Kysely, sql } from 'kysely';

/** Calls whose recorded figures are in doubt, noted by the proxies, with the figures that their answers claimed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE doubtful_usage (
      event_id                   uuid PRIMARY KEY,
      agent_id                   uuid NOT NULL,
      session_id                 text COLLATE "C" NOT NULL,
      provider                   text NOT NULL,
      model                      text NOT NULL,
      reason                     text NOT NULL,
      claimed_prompt_tokens      bigint NOT NULL CHECK (claimed_prompt_tokens >= 0),
      claimed_completion_tokens  bigint NOT NULL CHECK (claimed_completion_tokens >= 0),
      claimed_cost_usd           numeric(20, 9) NOT NULL CHECK (claimed_cost_usd >= 0),
      cost_usd                   numeric(20, 9) NOT NULL CHECK (cost_usd >= 0),
      occurred_at                timestamptz(3) NOT NULL
    )`.execute(db);
  await sql`CREATE INDEX doubtful_usage_by_agent ON doubtful_usage (agent_id, occurred_at)`.execute(db);
}
