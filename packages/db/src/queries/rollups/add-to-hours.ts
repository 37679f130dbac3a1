import { sql } from 'kysely';

/** Begins a statement that adds rows to the usage by hour; a query with these columns follows, and then {@link ifKnownAdd}. */
export const intoHours = sql`
  INSERT INTO hourly_usage AS known (
    hour, agent_id, model, provider, compliance_tag, prompt_tokens, completion_tokens, cost_usd, event_count, request_count)`;

/** Ends it. Sort by key before, as the writer does, so that neither waits for the other in a circle. */
export const ifKnownAdd = sql`
  ON CONFLICT (hour, agent_id, model, provider, compliance_tag) DO UPDATE SET
    prompt_tokens = known.prompt_tokens + EXCLUDED.prompt_tokens,
    completion_tokens = known.completion_tokens + EXCLUDED.completion_tokens,
    cost_usd = known.cost_usd + EXCLUDED.cost_usd,
    event_count = known.event_count + EXCLUDED.event_count,
    request_count = known.request_count + EXCLUDED.request_count`;

/** The same for findings: the columns hour, agent_id, kind, event_count and last_event_at. */
export const intoFindings = sql`INSERT INTO hourly_findings AS known (hour, agent_id, kind, event_count, last_event_at)`;

export const ifKnownAddFindings = sql`
  ON CONFLICT (hour, agent_id, kind) DO UPDATE SET
    event_count = known.event_count + EXCLUDED.event_count,
    last_event_at = GREATEST(known.last_event_at, EXCLUDED.last_event_at)`;
