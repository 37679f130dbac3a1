import { type Kysely, sql } from 'kysely';
import { eventTables, usageTables } from './baseline-events.ts';
import { reportingViews } from './baseline-reporting.ts';

const agentTables = [
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

const auditTables = [
  // One chain for the whole log; each row's hash covers the payload's exact bytes and the row before.
  sql`
    CREATE TABLE audit_log (
      seq           bigint PRIMARY KEY,
      id            uuid NOT NULL UNIQUE,
      "timestamp"   timestamptz(3) NOT NULL,
      action        text NOT NULL,
      agent_id      uuid,
      payload       text NOT NULL,
      lineage_hash  text NOT NULL
    )`,
  sql`CREATE INDEX audit_log_by_time ON audit_log ("timestamp", seq)`,
  sql`CREATE INDEX audit_log_by_agent ON audit_log (agent_id, "timestamp", seq) WHERE agent_id IS NOT NULL`,
  sql`CREATE INDEX audit_log_by_action ON audit_log (action, "timestamp", seq)`,
  sql`CREATE INDEX audit_log_by_agent_and_seq ON audit_log (agent_id, seq) WHERE agent_id IS NOT NULL`,
  sql`CREATE INDEX audit_log_by_action_and_seq ON audit_log (action, seq)`,
  sql`
    CREATE TABLE audit_head (
      id      boolean PRIMARY KEY DEFAULT true CHECK (id),
      length  bigint NOT NULL,
      hash    text NOT NULL
    )`,
  sql`INSERT INTO audit_head (length, hash) VALUES (0, 'genesis')`,
  // Refused requests of the running minute, counted by all proxies; a minute that is over moves into the log.
  sql`
    CREATE TABLE refusal_counts (
      minute      timestamptz NOT NULL,
      agent_id    uuid,
      reason      text NOT NULL,
      count       bigint NOT NULL CONSTRAINT refusal_counts_adds CHECK (count > 0),
      source_ip   text NOT NULL,
      refused_at  timestamptz NOT NULL,
      UNIQUE NULLS NOT DISTINCT (minute, agent_id, reason)
    )`,
  // The first of each agent, reason and minute.
  sql`
    CREATE TABLE refused_requests (
      id          uuid PRIMARY KEY,
      agent_id    uuid,
      reason      text NOT NULL,
      request_id  text COLLATE "C" NOT NULL,
      source_ip   text NOT NULL,
      provider    text,
      path        text
    )`,
  sql`CREATE INDEX refused_requests_by_agent ON refused_requests (agent_id, id)`,
  sql`CREATE INDEX refused_requests_by_reason ON refused_requests (reason, id)`,
  sql`CREATE INDEX refused_requests_by_request ON refused_requests (request_id, id)`,
  // Reading the JSON of a month takes too long.
  sql`
    CREATE TABLE hourly_refusals (
      hour           timestamptz NOT NULL,
      agent_id       uuid,
      reason         text NOT NULL,
      refusal_count  bigint NOT NULL,
      UNIQUE NULLS NOT DISTINCT (hour, agent_id, reason)
    )`,
  // Entries of the log from `next_seq` on are not in the hours yet.
  sql`
    CREATE TABLE refusal_fill (
      id        boolean PRIMARY KEY DEFAULT true CHECK (id),
      next_seq  bigint NOT NULL DEFAULT 0
    )`,
  sql`INSERT INTO refusal_fill DEFAULT VALUES`,
];

/** The schema of 0.3.0, which every later migration changes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...agentTables, ...eventTables, ...usageTables, ...auditTables, ...reportingViews])
    await statement.execute(db);
}
