import { type Kysely, sql } from 'kysely';

/**
 * Sums that the writer keeps, so that costs and panels cost the same however many events there are: usage by hour with provider and
 * compliance tag, usage of each agent and model of all time, and events with findings by hour. Those by hour are empty here: `fillRollups` fills
 * them after the migration, since reading all events takes too long for its locks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
    ) WITH (fillfactor = 80)`.execute(db);
  await sql`
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
    ) WITH (fillfactor = 70)`.execute(db);
  await sql`
    CREATE TABLE hourly_findings (
      hour           timestamptz NOT NULL,
      agent_id       uuid NOT NULL,
      kind           text NOT NULL,
      event_count    bigint NOT NULL,
      last_event_at  timestamptz(3) NOT NULL,
      PRIMARY KEY (hour, agent_id, kind)
    ) WITH (fillfactor = 80)`.execute(db);
  // Events that were recorded before `made_at` are not in the sums yet on days before `filled_from`.
  await sql`
    CREATE TABLE rollup_fill (
      id           boolean PRIMARY KEY DEFAULT true CHECK (id),
      made_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
      filled_from  date NOT NULL
    )`.execute(db);
  await sql`
    INSERT INTO rollup_fill (filled_from) SELECT coalesce(max(day) + 1, '-infinity') FROM daily_usage`.execute(db);
  await createViews(db);

  // For the parent alone, as in 0012. Without these two, a list of a rare model or provider reads what lies between its events.
  await sql`CREATE INDEX events_by_model ON ONLY events (model, id)`.execute(db);
  await sql`CREATE INDEX events_by_provider ON ONLY events (provider, id)`.execute(db);
  // Ids are in the order of requests. A client that was away finds in it what was recorded meanwhile of earlier requests.
  await sql`
    CREATE INDEX events_recorded_late ON ONLY events (recorded_at, id)
    WHERE recorded_at - "timestamp" > interval '10 minutes'`.execute(db);

  // New services show sums of all time as soon as the migration is done. The indexes have locked `events`, so no writer is at work on days.
  await sql`
    INSERT INTO agent_usage (
      agent_id, model, prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at, last_event_at)
    SELECT agent_id, CASE WHEN place <= 999 THEN model ELSE 'other' END, sum(prompt_tokens), sum(completion_tokens),
      sum(cost_usd), sum(event_count), sum(request_count), min(first_event_at), max(last_event_at)
    FROM (
      SELECT *, dense_rank() OVER (PARTITION BY agent_id ORDER BY model COLLATE "C") AS place FROM daily_usage
    ) AS placed
    GROUP BY 1, 2`.execute(db);
}

async function createViews(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE VIEW reporting.hourly_usage AS
    SELECT usage.hour, reporting.public_id('agt', usage.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, usage.model, usage.provider, usage.compliance_tag, usage.request_count,
      usage.event_count, usage.prompt_tokens, usage.completion_tokens,
      usage.prompt_tokens + usage.completion_tokens AS total_tokens, usage.cost_usd
    FROM hourly_usage AS usage LEFT JOIN agents ON agents.id = usage.agent_id`.execute(db);
  await sql`
    CREATE VIEW reporting.hourly_findings AS
    SELECT found.hour, reporting.public_id('agt', found.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, found.kind, found.event_count, found.last_event_at
    FROM hourly_findings AS found LEFT JOIN agents ON agents.id = found.agent_id`.execute(db);
}
