/** Queries for totals that are not the sum of the events: both as exact decimals, in Postgres itself. */
export const differences = {
  heads: `
    SELECT session_id FROM lineage_heads FULL JOIN (
      SELECT session_id, count(*) AS length, (array_agg(lineage_hash ORDER BY seq DESC))[1] AS hash
      FROM events GROUP BY session_id
    ) AS summed USING (session_id, length, hash)
    WHERE lineage_heads.length IS NULL OR summed.length IS NULL`,
  sessions: `
    SELECT id FROM sessions FULL JOIN (
      SELECT session_id AS id, agent_id, min("timestamp") AS started_at, max("timestamp") AS ended_at,
        count(*)::text AS event_count, sum(total_tokens)::text AS total_tokens, sum(cost_usd)::text AS total_cost_usd
      FROM events GROUP BY session_id, agent_id
    ) AS summed USING (id, agent_id, started_at, ended_at)
    WHERE sessions.event_count::text IS DISTINCT FROM summed.event_count
      OR sessions.total_tokens::text IS DISTINCT FROM summed.total_tokens
      OR sessions.total_cost_usd::text IS DISTINCT FROM summed.total_cost_usd`,
  daily: `
    SELECT day FROM daily_usage FULL JOIN (
      SELECT ("timestamp" AT TIME ZONE 'UTC')::date AS day, agent_id, model, count(*)::text AS event_count,
        (count(*) FILTER (WHERE counts_as_request))::text AS request_count, sum(prompt_tokens)::text AS prompt_tokens,
        sum(completion_tokens)::text AS completion_tokens, sum(cost_usd)::text AS cost_usd,
        min("timestamp") AS first_event_at, max("timestamp") AS last_event_at
      FROM events GROUP BY 1, 2, 3
    ) AS summed USING (day, agent_id, model, first_event_at, last_event_at)
    WHERE daily_usage.event_count::text IS DISTINCT FROM summed.event_count
      OR daily_usage.request_count::text IS DISTINCT FROM summed.request_count
      OR daily_usage.prompt_tokens::text IS DISTINCT FROM summed.prompt_tokens
      OR daily_usage.completion_tokens::text IS DISTINCT FROM summed.completion_tokens
      OR daily_usage.cost_usd::text IS DISTINCT FROM summed.cost_usd`,
  hourly: `
    SELECT hour FROM (
      SELECT hour, agent_id, model, provider, compliance_tag, '' AS labels, event_count, request_count, prompt_tokens,
        completion_tokens, cost_usd FROM hourly_usage
      UNION ALL
      SELECT hour, agent_id, model, provider, compliance_tag, labels::text, event_count, request_count, prompt_tokens,
        completion_tokens, cost_usd FROM hourly_labelled LEFT JOIN label_sets ON label_sets.id = label_set
    ) AS hourly_usage FULL JOIN (
      SELECT date_trunc('hour', "timestamp", 'UTC') AS hour, agent_id, model, provider, compliance_tag, coalesce(labels::text, '') AS labels,
        count(*)::text AS event_count, (count(*) FILTER (WHERE counts_as_request))::text AS request_count,
        sum(prompt_tokens)::text AS prompt_tokens, sum(completion_tokens)::text AS completion_tokens, sum(cost_usd)::text AS cost_usd
      FROM events GROUP BY 1, 2, 3, 4, 5, 6
    ) AS summed USING (hour, agent_id, model, provider, compliance_tag, labels)
    WHERE hourly_usage.event_count::text IS DISTINCT FROM summed.event_count
      OR hourly_usage.request_count::text IS DISTINCT FROM summed.request_count
      OR hourly_usage.prompt_tokens::text IS DISTINCT FROM summed.prompt_tokens
      OR hourly_usage.completion_tokens::text IS DISTINCT FROM summed.completion_tokens
      OR hourly_usage.cost_usd::text IS DISTINCT FROM summed.cost_usd`,
  ofAllTime: `
    SELECT agent_id FROM agent_usage FULL JOIN (
      SELECT agent_id, model, sum(event_count)::text AS event_count, sum(request_count)::text AS request_count,
        sum(prompt_tokens)::text AS prompt_tokens, sum(completion_tokens)::text AS completion_tokens, sum(cost_usd)::text AS cost_usd,
        min(first_event_at) AS first_event_at, max(last_event_at) AS last_event_at
      FROM daily_usage GROUP BY 1, 2
    ) AS summed USING (agent_id, model, first_event_at, last_event_at)
    WHERE agent_usage.event_count::text IS DISTINCT FROM summed.event_count
      OR agent_usage.request_count::text IS DISTINCT FROM summed.request_count
      OR agent_usage.prompt_tokens::text IS DISTINCT FROM summed.prompt_tokens
      OR agent_usage.completion_tokens::text IS DISTINCT FROM summed.completion_tokens
      OR agent_usage.cost_usd::text IS DISTINCT FROM summed.cost_usd`,
  findings: `
    SELECT hour FROM hourly_findings FULL JOIN (
      SELECT date_trunc('hour', "timestamp", 'UTC') AS hour, agent_id, kind, count(DISTINCT id) AS event_count,
        max("timestamp") AS last_event_at
      FROM events, unnest(pii_types) AS kind WHERE pii_detected GROUP BY 1, 2, 3
    ) AS summed USING (hour, agent_id, kind, last_event_at, event_count)
    WHERE hourly_findings.event_count IS NULL OR summed.event_count IS NULL`,
  decisions: `
    SELECT hour FROM (
      SELECT hour, policy, rule, action, sum(event_count)::text AS requests FROM hourly_decisions GROUP BY 1, 2, 3, 4
    ) AS counted FULL JOIN (
      SELECT date_trunc('hour', "timestamp", 'UTC') AS hour, decided.*, count(DISTINCT id)::text AS requests
      FROM events, jsonb_to_recordset(decision) AS each (policy text, rule text, action text), LATERAL (
        VALUES (each.policy, each.rule, each.action), (each.policy, '', 'note')
      ) AS decided (policy, rule, action) WHERE counts_as_request GROUP BY 1, 2, 3, 4
    ) AS summed USING (hour, policy, rule, action, requests)
    WHERE counted.hour IS NULL OR summed.hour IS NULL`,
  unpriced: `
    SELECT provider, model FROM unpriced_usage FULL JOIN (
      SELECT provider, model, (count(*) FILTER (WHERE counts_as_request))::text AS request_count,
        sum(prompt_tokens)::text AS prompt_tokens, sum(completion_tokens)::text AS completion_tokens,
        min("timestamp") AS first_event_at, max("timestamp") AS last_event_at
      FROM events WHERE payload::json ->> 'price_version' IS NULL GROUP BY 1, 2
    ) AS summed USING (provider, model, first_event_at, last_event_at)
    WHERE unpriced_usage.request_count::text IS DISTINCT FROM summed.request_count
      OR unpriced_usage.prompt_tokens::text IS DISTINCT FROM summed.prompt_tokens
      OR unpriced_usage.completion_tokens::text IS DISTINCT FROM summed.completion_tokens`,
};
