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

export const usageTables = [
  sql`
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
    ) WITH (fillfactor = 70)`,
  sql`
    CREATE TABLE hourly_usage (
      hour               timestamptz NOT NULL,
      agent_id           uuid NOT NULL,
      model              text NOT NULL,
      provider           text NOT NULL,
      compliance_tag     text NOT NULL,
      prompt_tokens      bigint NOT NULL,
      completion_tokens  bigint NOT NULL,
      cost_usd           numeric(30, 9) NOT NULL,
      event_count        bigint NOT NULL,
      request_count      bigint NOT NULL,
      PRIMARY KEY (hour, agent_id, model, provider, compliance_tag)
    ) WITH (fillfactor = 80)`,
  sql`
    CREATE TABLE agent_usage (
      agent_id           uuid NOT NULL,
      model              text NOT NULL,
      prompt_tokens      bigint NOT NULL,
      completion_tokens  bigint NOT NULL,
      cost_usd           numeric(30, 9) NOT NULL,
      event_count        bigint NOT NULL,
      request_count      bigint NOT NULL,
      first_event_at     timestamptz(3) NOT NULL,
      last_event_at      timestamptz(3) NOT NULL,
      PRIMARY KEY (agent_id, model)
    ) WITH (fillfactor = 70)`,
  sql`
    CREATE TABLE hourly_findings (
      hour           timestamptz NOT NULL,
      agent_id       uuid NOT NULL,
      kind           text NOT NULL,
      event_count    bigint NOT NULL,
      last_event_at  timestamptz(3) NOT NULL,
      PRIMARY KEY (hour, agent_id, kind)
    ) WITH (fillfactor = 80)`,
  // Spread over several rows, so that writers do not wait for one row's lock.
  sql`
    CREATE TABLE daily_global_spend (
      day       date NOT NULL,
      shard     smallint NOT NULL,
      cost_usd  numeric(30, 9) NOT NULL,
      PRIMARY KEY (day, shard)
    ) WITH (fillfactor = 70)`,
  // Costs of events that were lost or set aside, since the money was spent. A row is deleted once its event is recorded.
  sql`
    CREATE TABLE unrecorded_spend (
      event_id  uuid PRIMARY KEY,
      day       date NOT NULL,
      agent_id  uuid NOT NULL,
      cost_usd  numeric(20, 9) NOT NULL CONSTRAINT unrecorded_spend_adds CHECK (cost_usd >= 0 AND cost_usd <> 'NaN'),
      session_id  text,
      provider    text,
      model       text,
      reason      text NOT NULL,
      noted_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`,
  sql`CREATE INDEX unrecorded_spend_by_day ON unrecorded_spend (day, agent_id)`,
  // Requests that were forwarded while Redis was away, until they are recorded. The time is Postgres' own: proxies' clocks may be wrong.
  sql`
    CREATE TABLE forwarded_requests (
      event_id    uuid PRIMARY KEY,
      day         date NOT NULL,
      agent_id    uuid NOT NULL,
      cost_usd    numeric(20, 9) NOT NULL CHECK (cost_usd >= 0),
      session_id  text,
      provider    text,
      model       text,
      seen_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`,
  sql`CREATE INDEX forwarded_requests_by_time ON forwarded_requests (seen_at)`,
  sql`
    CREATE TABLE unpriced_usage (
      provider           text COLLATE "C" NOT NULL,
      model              text COLLATE "C" NOT NULL,
      request_count      bigint NOT NULL,
      prompt_tokens      bigint NOT NULL,
      completion_tokens  bigint NOT NULL,
      first_event_at     timestamptz(3) NOT NULL,
      last_event_at      timestamptz(3) NOT NULL,
      PRIMARY KEY (provider, model)
    ) WITH (fillfactor = 70)`,
  // Bills that a provider charges once however often the results are fetched, and the event that carries the cost.
  sql`
    CREATE TABLE claimed_bills (
      provider    text NOT NULL,
      bill        text NOT NULL,
      event_id    uuid NOT NULL,
      claimed_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (provider, bill)
    )`,
  // Calls whose recorded figures are in doubt, with the figures that their answers claimed.
  sql`
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
    )`,
  sql`CREATE INDEX doubtful_usage_by_agent ON doubtful_usage (agent_id, occurred_at)`,
];
