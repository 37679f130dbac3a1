import { sql } from 'kysely';

export const agentTables = [
  sql`
    CREATE TABLE agents (
      id          uuid PRIMARY KEY,
      name        text NOT NULL UNIQUE,
      status      text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'blocked', 'retired')),
      metadata    jsonb NOT NULL DEFAULT '{}',
      source_ip   text NOT NULL,
      daily_cap_usd        numeric(20, 9) CHECK (daily_cap_usd >= 0),
      warn_only            boolean NOT NULL DEFAULT false,
      requests_per_minute  integer CHECK (requests_per_minute > 0),
      created_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`,
  sql`CREATE INDEX agents_by_creation ON agents (created_at, id)`,
  // Apart from agents, so that recording never waits for the row that admission and the kill switch use.
  sql`
    CREATE TABLE agent_last_seen (
      agent_id       uuid PRIMARY KEY,
      last_event_id  uuid NOT NULL,
      source_ip      text NOT NULL
    ) WITH (fillfactor = 70)`,
  // One row, which applies to all agents. Null means no cap or no limit.
  sql`
    CREATE TABLE control (
      id                           boolean PRIMARY KEY DEFAULT true CHECK (id),
      paused                       boolean NOT NULL DEFAULT false,
      global_cap_usd               numeric(20, 9) CHECK (global_cap_usd >= 0),
      global_warn_only             boolean NOT NULL DEFAULT false,
      default_agent_cap_usd        numeric(20, 9) CHECK (default_agent_cap_usd >= 0),
      default_warn_only            boolean NOT NULL DEFAULT false,
      default_requests_per_minute  integer CHECK (default_requests_per_minute > 0)
    )`,
  sql`INSERT INTO control DEFAULT VALUES`,
  // Names that were ever given a token; from then on they can only be used with one.
  sql`
    CREATE TABLE claimed_names (
      name        text PRIMARY KEY,
      claimed_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`,
  sql`
    CREATE TABLE agent_tokens (
      id             uuid PRIMARY KEY,
      agent_name     text NOT NULL REFERENCES claimed_names (name),
      secret_sha256  bytea NOT NULL UNIQUE,
      created_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at     timestamptz(3)
    )`,
  sql`CREATE INDEX agent_tokens_by_name ON agent_tokens (agent_name)`,
  sql`
    CREATE TABLE api_keys (
      id             uuid PRIMARY KEY,
      name           text NOT NULL,
      secret_sha256  bytea NOT NULL UNIQUE,
      scopes         text[] NOT NULL,
      created_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at     timestamptz(3),
      last_used_at   timestamptz(3),
      -- While a key is rotated its old secret works on for a while.
      previous_sha256      bytea UNIQUE,
      previous_expires_at  timestamptz(3)
    )`,
  sql`CREATE UNIQUE INDEX api_keys_bootstrap ON api_keys (name) WHERE name = 'bootstrap'`,
  // A key's holder has the digest of its secret, with which the session ends; a person from an OpenID provider has a role.
  sql`
    CREATE TABLE console_sessions (
      id             uuid PRIMARY KEY,
      token_sha256   bytea NOT NULL UNIQUE,
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
    )`,
  sql`CREATE INDEX console_sessions_by_expiry ON console_sessions (expires_at)`,
  sql`
    CREATE TABLE console_codes (
      code_sha256  bytea PRIMARY KEY,
      key_sha256   bytea NOT NULL,
      expires_at   timestamptz(3) NOT NULL
    )`,
];
