import { type Kysely, sql } from 'kysely';

/** Controls of agents: caps, limits, the pause, agent tokens, and the log of who changed what. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // One row, which applies to all agents. Null means no cap or no limit.
  await sql`
    CREATE TABLE control (
      id                           boolean PRIMARY KEY DEFAULT true CHECK (id),
      paused                       boolean NOT NULL DEFAULT false,
      global_cap_usd               numeric(20, 9) CHECK (global_cap_usd >= 0),
      global_warn_only             boolean NOT NULL DEFAULT false,
      default_agent_cap_usd        numeric(20, 9) CHECK (default_agent_cap_usd >= 0),
      default_warn_only            boolean NOT NULL DEFAULT false,
      default_requests_per_minute  integer CHECK (default_requests_per_minute > 0)
    )`.execute(db);
  await sql`INSERT INTO control DEFAULT VALUES`.execute(db);
  await sql`
    ALTER TABLE agents
      ADD COLUMN daily_cap_usd numeric(20, 9) CHECK (daily_cap_usd >= 0),
      ADD COLUMN warn_only boolean NOT NULL DEFAULT false,
      ADD COLUMN requests_per_minute integer CHECK (requests_per_minute > 0)`.execute(db);

  // Spend of all agents on a UTC day, spread over several rows so that writers do not wait for one row's lock.
  await sql`
    CREATE TABLE daily_global_spend (
      day       date NOT NULL,
      shard     smallint NOT NULL,
      cost_usd  numeric(30, 9) NOT NULL,
      PRIMARY KEY (day, shard)
    ) WITH (fillfactor = 70)`.execute(db);
  await sql`
    INSERT INTO daily_global_spend (day, shard, cost_usd)
    SELECT day, 0, sum(cost_usd) FROM daily_usage GROUP BY day`.execute(db);

  // Costs of events that were lost or set aside, since the money was spent. A row is deleted once its event is recorded.
  await sql`
    CREATE TABLE unrecorded_spend (
      event_id  uuid PRIMARY KEY,
      day       date NOT NULL,
      agent_id  uuid NOT NULL,
      cost_usd  numeric(20, 9) NOT NULL
    )`.execute(db);
  await sql`CREATE INDEX unrecorded_spend_by_day ON unrecorded_spend (day, agent_id)`.execute(db);

  // Names that were ever given a token; from then on they can only be used with one.
  await sql`
    CREATE TABLE claimed_names (
      name        text PRIMARY KEY,
      claimed_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`.execute(db);
  await sql`
    CREATE TABLE agent_tokens (
      id             uuid PRIMARY KEY,
      agent_name     text NOT NULL REFERENCES claimed_names (name),
      secret_sha256  bytea NOT NULL UNIQUE,
      created_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at     timestamptz(3)
    )`.execute(db);
  await sql`CREATE INDEX agent_tokens_by_name ON agent_tokens (agent_name)`.execute(db);

  // While a key is rotated its old secret works on for a while.
  await sql`
    ALTER TABLE api_keys
      ADD COLUMN last_used_at timestamptz(3),
      ADD COLUMN previous_sha256 bytea UNIQUE,
      ADD COLUMN previous_expires_at timestamptz(3)`.execute(db);

  // One chain for the whole log; each row's hash covers the payload's exact bytes and the row before.
  await sql`
    CREATE TABLE audit_log (
      seq           bigint PRIMARY KEY,
      id            uuid NOT NULL UNIQUE,
      "timestamp"   timestamptz(3) NOT NULL,
      action        text NOT NULL,
      agent_id      uuid,
      payload       text NOT NULL,
      lineage_hash  text NOT NULL
    )`.execute(db);
  await sql`CREATE INDEX audit_log_by_time ON audit_log ("timestamp", seq)`.execute(db);
  await sql`
    CREATE INDEX audit_log_by_agent ON audit_log (agent_id, "timestamp", seq) WHERE agent_id IS NOT NULL`.execute(db);
  await sql`CREATE INDEX audit_log_by_action ON audit_log (action, "timestamp", seq)`.execute(db);
  await sql`
    CREATE TABLE audit_head (
      id      boolean PRIMARY KEY DEFAULT true CHECK (id),
      length  bigint NOT NULL,
      hash    text NOT NULL
    )`.execute(db);
  await sql`INSERT INTO audit_head (length, hash) VALUES (0, 'genesis')`.execute(db);

  // Refused requests of the running minute, counted by all proxies; a minute that is over moves into the log.
  await sql`
    CREATE TABLE refusal_counts (
      minute      timestamptz NOT NULL,
      agent_id    uuid,
      reason      text NOT NULL,
      count       bigint NOT NULL,
      source_ip   text NOT NULL,
      refused_at  timestamptz NOT NULL,
      UNIQUE NULLS NOT DISTINCT (minute, agent_id, reason)
    )`.execute(db);
}
