import { sql } from 'kysely';

export const eventTables = [
  // A row is claimed for its agent by the proxy, before the first event; the writer keeps the totals.
  sql`
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
    ) WITH (fillfactor = 70)`,
  // Not `event_count > 0`, which is the same: a column that an index names is costly to update.
  sql`CREATE INDEX sessions_by_start ON sessions (started_at DESC, id) WHERE started_at IS NOT NULL`,
  sql`CREATE INDEX sessions_by_agent ON sessions (agent_id, started_at DESC, id) WHERE started_at IS NOT NULL`,
  sql`
    CREATE TABLE lineage_heads (
      session_id  text COLLATE "C" PRIMARY KEY,
      length      bigint NOT NULL,
      hash        text NOT NULL
    ) WITH (fillfactor = 70)`,
  // A row for each unbroken run of events that retention removed: its last hash, which the next event's hash covers.
  sql`
    CREATE TABLE lineage_anchors (
      session_id    text COLLATE "C" NOT NULL,
      first_seq     bigint NOT NULL,
      last_seq      bigint NOT NULL,
      lineage_hash  text NOT NULL,
      removal       uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
      PRIMARY KEY (session_id, first_seq)
    )`,
  sql`CREATE INDEX lineage_anchors_by_removal ON lineage_anchors (removal, session_id, first_seq)`,
  // By the id, a UUIDv7, which orders by time: a redelivered event lands in the same partition.
  sql`
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
      payload            text NOT NULL,
      outcome              text,
      http_status          smallint,
      failure              text,
      request_id           text COLLATE "C",
      provider_request_id  text COLLATE "C",
      pii_scan             text,
      pii_findings         jsonb
    ) PARTITION BY RANGE (id)`,
  sql`CREATE INDEX events_by_session ON events (session_id, id)`,
  sql`CREATE INDEX events_by_agent ON events (agent_id, id)`,
  // A client that lost the live stream asks for the latest of these: they must be summarised as they fill.
  sql`
    CREATE INDEX events_by_recording ON events USING brin (recorded_at)
    WITH (autosummarize = on, pages_per_range = 32)`,
  sql`
    CREATE INDEX events_recorded_late ON events (recorded_at, id)
    WHERE recorded_at - "timestamp" > interval '10 minutes'`,
  // With the id: a list of a thousand equal ones is read in pages.
  sql`CREATE INDEX events_by_request_id ON events (request_id, id) WHERE request_id IS NOT NULL`,
  sql`
    CREATE INDEX events_by_provider_request_id ON events (provider_request_id, id)
    WHERE provider_request_id IS NOT NULL`,
  sql`CREATE INDEX events_by_model ON events (model, id)`,
  sql`CREATE INDEX events_by_provider ON events (provider, id)`,
  // Kept for the few events that the filters look for.
  sql`CREATE INDEX events_with_pii ON events (id) WHERE pii_detected`,
  sql`CREATE INDEX events_by_tag ON events (compliance_tag, id) WHERE compliance_tag <> 'default'`,
  sql`CREATE INDEX events_by_outcome ON events (outcome, id) WHERE outcome <> 'completed'`,
  sql`CREATE INDEX events_by_status ON events (http_status, id) WHERE http_status >= 300`,
  // Events without a partition of their own go here, which raises an alert.
  sql`CREATE TABLE events_default PARTITION OF events DEFAULT`,
  // With their bytes, so that none is lost and none blocks a batch.
  sql`
    CREATE TABLE quarantine (
      id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      message_id   text,
      received_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      code         text NOT NULL,
      reason       text NOT NULL,
      bytes        bytea NOT NULL,
      replayed_at  timestamptz(3)
    )`,
  // The same message may be delivered again before it is acknowledged; it is set aside once.
  sql`CREATE UNIQUE INDEX quarantine_once ON quarantine (message_id, sha256(bytes))`,
];
