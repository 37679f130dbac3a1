import { type Kysely, sql } from 'kysely';

/**
 * The labels that an event is charged by, and the usage by hour of such events: beside that of events without labels, which keeps its key
 * for writers of the version before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE events ADD COLUMN labels jsonb`.execute(db);
  await sql`
    CREATE INDEX events_by_label ON ONLY events USING gin (labels jsonb_path_ops) WHERE labels IS NOT NULL`.execute(db);
  // By the digest of the labels.
  await sql`CREATE TABLE label_sets (id uuid PRIMARY KEY, labels jsonb NOT NULL)`.execute(db);
  await sql`
    CREATE TABLE hourly_labelled (
      LIKE hourly_usage INCLUDING DEFAULTS,
      label_set uuid NOT NULL,
      PRIMARY KEY (hour, agent_id, label_set, model, provider, compliance_tag)
    ) WITH (fillfactor = 80)`.execute(db);
  await sql`
    CREATE INDEX hourly_labelled_by_hour ON hourly_labelled USING brin (hour)
    WITH (pages_per_range = 32, autosummarize = on)`.execute(db);
  await sql`
    CREATE OR REPLACE VIEW reporting.hourly_usage AS
    SELECT usage.hour, reporting.public_id('agt', usage.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, usage.model, usage.provider, usage.compliance_tag, usage.request_count,
      usage.event_count, usage.prompt_tokens, usage.completion_tokens,
      usage.prompt_tokens + usage.completion_tokens AS total_tokens, usage.cost_usd, label_sets.labels
    FROM (
      SELECT hour, agent_id, model, provider, compliance_tag, request_count, event_count, prompt_tokens,
        completion_tokens, cost_usd, NULL::uuid AS label_set
      FROM hourly_usage
      UNION ALL
      SELECT hour, agent_id, model, provider, compliance_tag, request_count, event_count, prompt_tokens,
        completion_tokens, cost_usd, label_set
      FROM hourly_labelled
    ) AS usage
    LEFT JOIN label_sets ON label_sets.id = usage.label_set
    LEFT JOIN agents ON agents.id = usage.agent_id`.execute(db);
}
