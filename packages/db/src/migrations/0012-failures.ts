import { type Kysely, sql } from 'kysely';

/**
 * How a request ended, in columns of its own and beside the payload, and a list of single refused requests. Events that a 0.2.0 writer
 * has recorded, or records during an upgrade, have null there; the payload still has what it had.
 *
 * All this is instant however many events there are. The indexes are made for the parent alone: new partitions get them, and
 * `attachIndexes` builds those of the others afterwards, beside readers and writers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE events
      ADD COLUMN outcome              text,
      ADD COLUMN http_status          smallint,
      ADD COLUMN failure              text,
      ADD COLUMN request_id           text COLLATE "C",
      ADD COLUMN provider_request_id  text COLLATE "C",
      ADD COLUMN pii_scan             text,
      ADD COLUMN pii_findings         jsonb`.execute(db);
  // With the id: neither of the two is unique, and a list of a thousand equal ones is read in pages.
  await sql`
    CREATE INDEX events_by_request_id ON ONLY events (request_id, id) WHERE request_id IS NOT NULL`.execute(db);
  await sql`
    CREATE INDEX events_by_provider_request_id ON ONLY events (provider_request_id, id)
    WHERE provider_request_id IS NOT NULL`.execute(db);
  // Most events are left out of these two.
  await sql`CREATE INDEX events_by_outcome ON ONLY events (outcome, id) WHERE outcome <> 'completed'`.execute(db);
  await sql`CREATE INDEX events_by_status ON ONLY events (http_status, id) WHERE http_status >= 300`.execute(db);

  // Some of the refused requests that refusal_counts and the audit log count: the first of each agent, reason and minute.
  await sql`
    CREATE TABLE refused_requests (
      id          uuid PRIMARY KEY,
      agent_id    uuid,
      reason      text NOT NULL,
      request_id  text COLLATE "C" NOT NULL,
      source_ip   text NOT NULL,
      provider    text,
      path        text
    )`.execute(db);
  await sql`CREATE INDEX refused_requests_by_agent ON refused_requests (agent_id, id)`.execute(db);
  await sql`CREATE INDEX refused_requests_by_reason ON refused_requests (reason, id)`.execute(db);
  await sql`CREATE INDEX refused_requests_by_request ON refused_requests (request_id, id)`.execute(db);

  await sql`
    CREATE OR REPLACE VIEW reporting.events AS
    SELECT events.id AS event_key, reporting.public_id('evt', events.id) AS event_id, events.session_id, events.seq,
      reporting.public_id('agt', events.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, events."timestamp", events.recorded_at, events.direction, events.model,
      events.provider, events.prompt_tokens, events.completion_tokens, events.total_tokens, events.cost_usd,
      events.compliance_tag, events.pii_detected, events.pii_types, events.counts_as_request,
      events.outcome, events.http_status, events.failure, events.request_id, events.provider_request_id, events.pii_scan
    FROM events LEFT JOIN agents ON agents.id = events.agent_id`.execute(db);
  await sql`
    CREATE VIEW reporting.refused_requests AS
    SELECT refused.id AS refusal_key, reporting.id_time(refused.id) AS refused_at,
      reporting.public_id('agt', refused.agent_id) AS agent_id, agents.name AS agent_name, refused.reason,
      refused.request_id, refused.provider, refused.path
    FROM refused_requests AS refused LEFT JOIN agents ON agents.id = refused.agent_id`.execute(db);
}
