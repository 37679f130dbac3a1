import { type Kysely, sql } from 'kysely';

/** Which keys of providers proxies have, and when each was used last, so that an old one can be revoked. Never the keys themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE provider_keys (
      provider       text NOT NULL,
      fingerprint    text NOT NULL,
      source         text NOT NULL,
      proxy          text NOT NULL,
      first_seen_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      last_seen_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      last_used_at   timestamptz(3),
      PRIMARY KEY (provider, fingerprint)
    )`.execute(db);
}
