import { type Kysely, sql } from 'kysely';

/**
 * The first schema. `events` is partitioned by range of its id, a UUIDv7, which orders by time: so the id alone is the primary key,
 * and a redelivered event lands in the same partition. `makePartitions` makes the partitions; events without one go into the
 * default partition, which raises an alert.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE agents (
      id          uuid PRIMARY KEY,
      name        text NOT NULL UNIQUE,
      status      text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'blocked', 'retired')),
      metadata    jsonb NOT NULL DEFAULT '{}',
      source_ip   text NOT NULL,
      created_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`.execute(db);
  await sql`CREATE INDEX agents_by_creation ON agents (created_at, id)`.execute(db);

  // Where an agent's latest recorded request came from. Kept by the writer, apart from agents, so that
  // recording never waits for the row that admission and the kill switch read and write.
  await sql`
    CREATE TABLE agent_last_seen (
      agent_id       uuid PRIMARY KEY,
      last_event_id  uuid NOT NULL,
      source_ip      text NOT NULL
    ) WITH (fillfactor = 70)`.execute(db);

  // A row is claimed for its agent by the proxy, before the first event; the writer keeps the totals.
  await sql`
    CREATE TABLE sessions (
      id              text COLLATE "C" PRIMARY KEY,
      agent_id        uuid NOT NULL,
      started_at      timestamptz(3),
      ended_at        timestamptz(3),
      event_count     bigint NOT NULL DEFAULT 0,
      total_tokens    bigint NOT NULL DEFAULT 0,
      total_cost_usd  numeric(30, 9) NOT NULL DEFAULT 0,
      compliance_tag  text,
      pii_detected    boolean NOT NULL DEFAULT false,
      last_event_id   uuid
    ) WITH (fillfactor = 70)`.execute(db);
  // Not `event_count > 0`, which is the same: a column that an index names is costly to update.
  await sql`CREATE INDEX sessions_by_start ON sessions (started_at DESC, id) WHERE started_at IS NOT NULL`.execute(db);

  await sql`
    CREATE TABLE lineage_heads (
      session_id  text COLLATE "C" PRIMARY KEY,
      length      bigint NOT NULL,
      hash        text NOT NULL
    ) WITH (fillfactor = 70)`.execute(db);

  await sql`
    CREATE TABLE events (
      id                 uuid PRIMARY KEY,
      session_id         text COLLATE "C" NOT NULL,
      seq                bigint NOT NULL,
      agent_id           uuid NOT NULL,
      "timestamp"        timestamptz(3) NOT NULL,
      recorded_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      direction          text NOT NULL,
      model              text NOT NULL,
      provider           text NOT NULL,
      prompt_tokens      bigint NOT NULL,
      completion_tokens  bigint NOT NULL,
      total_tokens       bigint NOT NULL,
      cost_usd           numeric(20, 9) NOT NULL,
      compliance_tag     text NOT NULL,
      pii_detected       boolean NOT NULL,
      pii_types          text[] NOT NULL,
      counts_as_request  boolean NOT NULL,
      lineage_hash       text NOT NULL,
      payload            text NOT NULL
    ) PARTITION BY RANGE (id)`.execute(db);
  await sql`CREATE INDEX events_by_session ON events (session_id, id)`.execute(db);
  await sql`CREATE INDEX events_by_agent ON events (agent_id, id)`.execute(db);
  // A client that lost the live stream asks for the latest of these: they must be summarised as they fill.
  await sql`
    CREATE INDEX events_by_recording ON events USING brin (recorded_at)
    WITH (autosummarize = on, pages_per_range = 32)`.execute(db);
  // Kept for the few events only that the filters look for.
  await sql`CREATE INDEX events_with_pii ON events (id) WHERE pii_detected`.execute(db);
  await sql`CREATE INDEX events_by_tag ON events (compliance_tag, id) WHERE compliance_tag <> 'default'`.execute(db);
  await sql`CREATE TABLE events_default PARTITION OF events DEFAULT`.execute(db);

  await sql`
    CREATE TABLE daily_usage (
      day                date NOT NULL,
      agent_id           uuid NOT NULL,
      model              text NOT NULL,
      prompt_tokens      bigint NOT NULL,
      completion_tokens  bigint NOT NULL,
      cost_usd           numeric(30, 9) NOT NULL,
      event_count        bigint NOT NULL,
      request_count      bigint NOT NULL,
      first_event_at     timestamptz(3) NOT NULL,
      last_event_at      timestamptz(3) NOT NULL,
      PRIMARY KEY (day, agent_id, model)
    ) WITH (fillfactor = 70)`.execute(db);

  await sql`
    CREATE TABLE api_keys (
      id             uuid PRIMARY KEY,
      name           text NOT NULL,
      secret_sha256  bytea NOT NULL UNIQUE,
      scopes         text[] NOT NULL,
      created_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at     timestamptz(3)
    )`.execute(db);
  await sql`CREATE UNIQUE INDEX api_keys_bootstrap ON api_keys (name) WHERE name = 'bootstrap'`.execute(db);

  // Messages that can never be recorded, with their bytes, so that none is lost and none blocks a batch.
  await sql`
    CREATE TABLE quarantine (
      id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      message_id   text,
      received_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      code         text NOT NULL,
      reason       text NOT NULL,
      bytes        bytea NOT NULL,
      replayed_at  timestamptz(3)
    )`.execute(db);
  // The same message may be delivered again before it is acknowledged; it is set aside once.
  await sql`CREATE UNIQUE INDEX quarantine_once ON quarantine (message_id, sha256(bytes))`.execute(db);
}
