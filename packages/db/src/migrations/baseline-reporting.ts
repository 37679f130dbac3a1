import { sql } from 'kysely';

/** Their columns are an interface (docs/monitoring.md): a later migration may add some, and takes none away. */
export const reportingViews = [
  sql`CREATE SCHEMA reporting`,
  // Immutable, so that partitions are ruled out by them.
  sql`
    CREATE FUNCTION reporting.public_id(prefix text, id uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN prefix || '_' || (
      SELECT string_agg(
        substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + substr(bits, 5 * digit + 1, 5)::bit(5)::integer, 1),
        '' ORDER BY digit)
      FROM (SELECT '00' || ('x' || replace(id::text, '-', ''))::bit(128)::text AS bits) AS whole
      CROSS JOIN generate_series(0, 25) AS digit)`,
  sql`
    CREATE FUNCTION reporting.id_time(id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`,
  sql`
    CREATE FUNCTION reporting.first_id_at(moment timestamptz) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN rpad(lpad(to_hex(greatest(0, ceil(extract(epoch FROM moment) * 1000))::bigint), 12, '0'), 32, '0')::uuid`,
  sql`
    CREATE VIEW reporting.agents AS
    SELECT reporting.public_id('agt', agents.id) AS agent_id, agents.name AS agent_name, agents.status,
      agents.created_at, agents.updated_at, reporting.id_time(seen.last_event_id) AS last_request_at,
      agents.daily_cap_usd, agents.warn_only, agents.requests_per_minute
    FROM agents LEFT JOIN agent_last_seen AS seen ON seen.agent_id = agents.id`,
  sql`CREATE VIEW reporting.active_agents AS SELECT * FROM reporting.agents WHERE status = 'active'`,
  sql`
    CREATE VIEW reporting.daily_usage AS
    SELECT usage.day, usage.day::timestamp AT TIME ZONE 'UTC' AS day_start,
      reporting.public_id('agt', usage.agent_id) AS agent_id, agents.name AS agent_name, agents.status AS agent_status,
      usage.model, usage.request_count, usage.event_count, usage.prompt_tokens, usage.completion_tokens,
      usage.prompt_tokens + usage.completion_tokens AS total_tokens, usage.cost_usd,
      usage.first_event_at, usage.last_event_at
    FROM daily_usage AS usage LEFT JOIN agents ON agents.id = usage.agent_id`,
  sql`
    CREATE VIEW reporting.sessions AS
    SELECT sessions.id AS session_id, reporting.public_id('agt', sessions.agent_id) AS agent_id,
      agents.name AS agent_name, agents.status AS agent_status, sessions.started_at, sessions.ended_at,
      (extract(epoch FROM sessions.ended_at - sessions.started_at) * 1000)::bigint AS duration_ms,
      sessions.event_count, sessions.total_tokens, sessions.total_cost_usd, sessions.compliance_tag,
      sessions.pii_detected
    FROM sessions LEFT JOIN agents ON agents.id = sessions.agent_id
    WHERE sessions.started_at IS NOT NULL`,
  sql`
    CREATE VIEW reporting.unpriced_models AS
    SELECT provider, model, request_count, prompt_tokens, completion_tokens, first_event_at, last_event_at
    FROM unpriced_usage`,
  sql`
    CREATE VIEW reporting.events AS
    SELECT events.id AS event_key, reporting.public_id('evt', events.id) AS event_id, events.session_id, events.seq,
      reporting.public_id('agt', events.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, events."timestamp", events.recorded_at, events.direction, events.model,
      events.provider, events.prompt_tokens, events.completion_tokens, events.total_tokens, events.cost_usd,
      events.compliance_tag, events.pii_detected, events.pii_types, events.counts_as_request,
      events.outcome, events.http_status, events.failure, events.request_id, events.provider_request_id, events.pii_scan
    FROM events LEFT JOIN agents ON agents.id = events.agent_id`,
  // A bound on "timestamp" rules out no partition, one on the id does. Written to be inlined, so that conditions reach the indexes.
  sql`
    CREATE FUNCTION reporting.events_between(from_time timestamptz, to_time timestamptz)
    RETURNS SETOF reporting.events LANGUAGE sql STABLE PARALLEL SAFE
    AS $function$
      SELECT * FROM reporting.events
      WHERE event_key >= reporting.first_id_at(from_time) AND event_key < reporting.first_id_at(to_time)
    $function$`,
  // The log's payload of refused requests holds counts by reason, and no text that anybody wrote.
  sql`
    CREATE VIEW reporting.refusals AS
    SELECT refused.minute, reporting.public_id('agt', refused.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, refused.reason, refused.refusal_count
    FROM (
      SELECT log."timestamp"::timestamptz AS minute, log.agent_id, reasons.key AS reason,
        reasons.value::bigint AS refusal_count
      FROM audit_log AS log
      CROSS JOIN LATERAL json_each_text(log.payload::json -> 'after' -> 'reasons') AS reasons
      WHERE log.action = 'request.refused'
      UNION ALL
      SELECT minute, agent_id, reason, count FROM refusal_counts
    ) AS refused LEFT JOIN agents ON agents.id = refused.agent_id`,
  // The arithmetic of the API's budgets (queries/spend.ts), without what Redis holds for requests in flight.
  sql`
    CREATE VIEW reporting.budgets_today AS
    WITH today AS (
      SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day
    ), agent_spend AS (
      SELECT agent_id, sum(cost_usd) AS usd
      FROM (
        SELECT agent_id, cost_usd FROM daily_usage WHERE day = (SELECT day FROM today)
        UNION ALL
        SELECT agent_id, cost_usd FROM unrecorded_spend WHERE day = (SELECT day FROM today)
      ) AS spent GROUP BY agent_id
    ), global_spend AS (
      SELECT sum(cost_usd) AS usd
      FROM (
        SELECT cost_usd FROM daily_global_spend WHERE day = (SELECT day FROM today)
        UNION ALL
        SELECT cost_usd FROM unrecorded_spend WHERE day = (SELECT day FROM today)
      ) AS spent
    ), budgets AS (
      SELECT 'global' AS scope, NULL::uuid AS id, NULL AS agent_name, NULL AS agent_status,
        global_cap_usd AS daily_cap_usd, global_warn_only AS warn_only,
        coalesce((SELECT usd FROM global_spend), 0) AS spent_usd
      FROM control
      UNION ALL
      SELECT 'agent', agents.id, agents.name, agents.status, agents.daily_cap_usd, agents.warn_only,
        coalesce(agent_spend.usd, 0)
      FROM agents LEFT JOIN agent_spend ON agent_spend.agent_id = agents.id
    )
    SELECT (SELECT day FROM today) AS day, scope, reporting.public_id('agt', id) AS agent_id, agent_name, agent_status,
      daily_cap_usd, warn_only, spent_usd,
      CASE WHEN daily_cap_usd IS NOT NULL THEN greatest(daily_cap_usd - spent_usd, 0) END AS remaining_usd,
      CASE WHEN daily_cap_usd = 0 THEN 1 ELSE spent_usd / daily_cap_usd END AS used_ratio
    FROM budgets`,
  // Each part is read from an index or is small; the default partition is counted up to a bound.
  sql`
    CREATE VIEW reporting.recording_health AS
    SELECT
      (SELECT count(*) FROM quarantine WHERE replayed_at IS NULL) AS quarantine_waiting,
      (SELECT count(*) FROM quarantine) AS quarantine_total,
      (SELECT max(reporting.id_time((regexp_match(
          pg_get_expr(part.relpartbound, part.oid), 'TO \\(''([0-9a-f-]{36})''\\)'))[1]::uuid))
        FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid
        WHERE inhparent = 'events'::regclass) AS partitions_end,
      (SELECT count(*) FROM (SELECT FROM events_default LIMIT 10000) AS strays) AS default_partition_events,
      (SELECT count(*) FROM unrecorded_spend) AS unrecorded_events,
      (SELECT coalesce(sum(cost_usd), 0) FROM unrecorded_spend) AS unrecorded_spend_usd,
      (SELECT min(minute) FROM refusal_counts) AS oldest_unsealed_refusals,
      last_event."timestamp" AS last_event_at, last_event.recorded_at AS last_recorded_at
    FROM (SELECT) AS one
    LEFT JOIN (SELECT "timestamp", recorded_at FROM events ORDER BY id DESC LIMIT 1) AS last_event ON true`,
  sql`
    CREATE VIEW reporting.refused_requests AS
    SELECT refused.id AS refusal_key, reporting.id_time(refused.id) AS refused_at,
      reporting.public_id('agt', refused.agent_id) AS agent_id, agents.name AS agent_name, refused.reason,
      refused.request_id, refused.provider, refused.path
    FROM refused_requests AS refused LEFT JOIN agents ON agents.id = refused.agent_id`,
  sql`
    CREATE VIEW reporting.hourly_usage AS
    SELECT usage.hour, reporting.public_id('agt', usage.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, usage.model, usage.provider, usage.compliance_tag, usage.request_count,
      usage.event_count, usage.prompt_tokens, usage.completion_tokens,
      usage.prompt_tokens + usage.completion_tokens AS total_tokens, usage.cost_usd
    FROM hourly_usage AS usage LEFT JOIN agents ON agents.id = usage.agent_id`,
  sql`
    CREATE VIEW reporting.hourly_findings AS
    SELECT found.hour, reporting.public_id('agt', found.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, found.kind, found.event_count, found.last_event_at
    FROM hourly_findings AS found LEFT JOIN agents ON agents.id = found.agent_id`,
  sql`
    CREATE VIEW reporting.refusal_totals AS
    SELECT refused.since, reporting.public_id('agt', refused.agent_id) AS agent_id, agents.name AS agent_name,
      agents.status AS agent_status, refused.reason, refused.refusal_count
    FROM (
      SELECT hour AS since, agent_id, reason, refusal_count FROM hourly_refusals
      UNION ALL
      SELECT log."timestamp"::timestamptz, log.agent_id, reasons.key, reasons.value::bigint
      FROM audit_log AS log
      CROSS JOIN LATERAL json_each_text(log.payload::json -> 'after' -> 'reasons') AS reasons
      WHERE log.action = 'request.refused' AND log.seq >= (SELECT next_seq FROM refusal_fill)
      UNION ALL
      SELECT minute, agent_id, reason, count FROM refusal_counts
    ) AS refused LEFT JOIN agents ON agents.id = refused.agent_id`,
];
