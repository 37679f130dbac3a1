import { type Kysely, sql } from 'kysely';

/** People who are signed in to the console, and one-time codes to sign in with. Of every secret only the digest is stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Of a key's holder it has the digest of the key's secret: the session ends with that secret. A person whom an OpenID provider knows
  // has a role instead.
  await sql`
    CREATE TABLE console_sessions (
      id             uuid PRIMARY KEY,
      token_sha256   bytea NOT NULL UNIQUE,
      half_sha256    bytea NOT NULL,
      key_sha256     bytea,
      issuer         text,
      subject        text,
      name           text NOT NULL,
      role           text NOT NULL,
      source_ip      text NOT NULL,
      created_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      last_used_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at     timestamptz(3) NOT NULL,
      CHECK ((key_sha256 IS NULL) = (issuer IS NOT NULL AND subject IS NOT NULL))
    )`.execute(db);
  await sql`CREATE INDEX console_sessions_by_expiry ON console_sessions (expires_at)`.execute(db);
  await sql`
    CREATE TABLE console_codes (
      code_sha256  bytea PRIMARY KEY,
      key_sha256   bytea NOT NULL,
      expires_at   timestamptz(3) NOT NULL
    )`.execute(db);
}
