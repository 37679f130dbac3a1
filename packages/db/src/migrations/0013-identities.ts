import { type Kysely, sql } from 'kysely';

/** Issuers of workload identities, whose names they are, their exchanged tokens, and a version that every request reads. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE identities (
      id          uuid PRIMARY KEY,
      name        text NOT NULL UNIQUE,
      version     integer NOT NULL DEFAULT 1,
      identity    jsonb NOT NULL,
      text        text,
      created_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`.execute(db);
  await sql`CREATE UNIQUE INDEX identities_by_issuer ON identities ((identity->>'issuer'))`.execute(db);
  // No reference: the names of an issuer that is gone stay claimed, by nobody, until a person gives them to somebody.
  await sql`
    ALTER TABLE claimed_names ADD COLUMN identity_id uuid, ADD COLUMN workload text`.execute(db);
  // An agent that was adopted keeps its own name: null is the agent with the claimed one.
  await sql`ALTER TABLE claimed_names ADD COLUMN agent_id uuid`.execute(db);
  await sql`
    CREATE INDEX claimed_names_by_agent ON claimed_names (agent_id) WHERE agent_id IS NOT NULL`.execute(db);
  await sql`
    CREATE INDEX claimed_names_by_identity ON claimed_names (identity_id) WHERE identity_id IS NOT NULL`.execute(db);
  // Apart from tokens that people make, which no proxy may write. One works while its issuer has just this version.
  await sql`
    CREATE TABLE exchanged_tokens (
      id                uuid PRIMARY KEY,
      agent_name        text NOT NULL,
      secret_sha256     bytea NOT NULL UNIQUE,
      identity_id       uuid NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
      identity_version  integer NOT NULL,
      created_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at        timestamptz(3) NOT NULL
    )`.execute(db);
  await sql`CREATE INDEX exchanged_tokens_by_name ON exchanged_tokens (agent_name)`.execute(db);
  await sql`CREATE INDEX exchanged_tokens_by_identity ON exchanged_tokens (identity_id)`.execute(db);
  await sql`CREATE INDEX exchanged_tokens_by_end ON exchanged_tokens (expires_at)`.execute(db);
  // Last, since every request reads it.
  await sql`ALTER TABLE control ADD COLUMN identity_version bigint NOT NULL DEFAULT 0`.execute(db);
}
