import { sql } from 'kysely';

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
