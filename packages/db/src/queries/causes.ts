import { failedEndings } from '@agp/core/explain';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { AgentRow } from './agents.ts';
import { firstIdAt } from './pages.ts';

/** What alerts are made of. Each query reads the end of an index up to a bound, so that it is as fast with ten million events as with ten. */

/** The latest rows of a table that are looked at. */
const most = { events: 20_000, decisions: 50_000, findings: 10_000, refusals: 20_000, entries: 100, names: 1_000 };

export type WatchedAgent = Pick<AgentRow, 'id' | 'name' | 'status' | 'metadata'>;

export const readWatchedAgents = (db: Db, ids: readonly string[]): Promise<WatchedAgent[]> =>
  db
    .selectFrom('agents')
    .select(['id', 'name', 'status', 'metadata'])
    .where(sql<boolean>`id = ANY (${ids}::uuid[])`)
    .execute();

/** Of an event. */
export const isFailed = sql.join(
  failedEndings.map(
    ({ outcome, leastStatus }) => sql`(outcome = ${outcome} AND coalesce(http_status, 0) >= ${leastStatus ?? 0})`,
  ),
  sql` OR `,
);

const sums = sql`
  count(*)::integer AS request_count, count(*) FILTER (WHERE failed)::integer AS failed_count,
  mode() WITHIN GROUP (ORDER BY ending) FILTER (WHERE failed) AS mostly`;
const results = sql`(${isFailed}) AS failed, coalesce(failure, http_status::text, outcome) AS ending`;

export interface ResultRow {
  request_count: number;
  failed_count: number;
  /** The most frequent end of those that failed. */
  mostly: string | null;
}

/** What a blocked agent failed at is over with it; what it was answered still says that its model and provider work. */
const isNotStopped = sql`
  (NOT (${isFailed}) OR NOT EXISTS (SELECT FROM agents WHERE agents.id = events.agent_id AND agents.status = 'blocked'))`;

/** How the latest requests since a time ended, by agent, model and provider; without failures of blocked agents. */
export async function readLatestResults(db: Db, since: Date) {
  const { rows } = await sql<ResultRow & { agent_id: string; model: string; provider: string }>`
    SELECT agent_id, model, provider, ${sums} FROM (
      SELECT agent_id, model, provider, ${results} FROM events
      WHERE id >= ${firstIdAt(since)} AND counts_as_request AND ${isNotStopped} ORDER BY id DESC LIMIT ${most.events}
    ) AS latest GROUP BY agent_id, model, provider`.execute(db);
  return rows;
}

/** The same of each. @param column what they are known by */
export async function readLatestOf(
  db: Db,
  column: 'agent_id' | 'model' | 'provider',
  keys: readonly string[],
  since: Date,
  limit: number,
) {
  const { rows } = await sql<ResultRow & { key: string }>`
    SELECT asked.key, latest.* FROM unnest(${keys}::text[]) AS asked (key) CROSS JOIN LATERAL (
      SELECT ${sums} FROM (
        SELECT ${results} FROM events
        WHERE ${sql.ref(column)} = asked.key::${sql.raw(column === 'agent_id' ? 'uuid' : 'text')}
          AND id >= ${firstIdAt(since)} AND counts_as_request AND ${isNotStopped} ORDER BY id DESC LIMIT ${limit}
      ) AS latest
    ) AS latest`.execute(db);
  return rows;
}

/** What agents asked and spent since a time. */
export async function readLatestUse(db: Db, since: Date) {
  const { rows } = await sql<{ agent_id: string; requests: number; usd: number }>`
    SELECT agent_id, count(*) FILTER (WHERE counts_as_request)::integer AS requests, sum(cost_usd)::float8 AS usd FROM (
      SELECT agent_id, counts_as_request, cost_usd FROM events
      WHERE id >= ${firstIdAt(since)} ORDER BY id DESC LIMIT ${most.events}
    ) AS latest GROUP BY agent_id`.execute(db);
  return rows;
}

/**
 * The most that was asked and spent in one hour of the week before a time, by the UUIDs of agents, or by the values that they have of a label;
 * none if they did nothing in it.
 */
export async function readBusiestHours(db: Db, until: Date, label: string | null) {
  const [key, agents] =
    label === null
      ? [sql`agent_id::text`, sql``]
      : [sql`agents.metadata ->> ${label}`, sql`JOIN agents ON agents.id = hourly_usage.agent_id`];
  const { rows } = await sql<{ key: string | null; requests: number; usd: number }>`
    SELECT key, max(requests)::integer AS requests, max(usd)::float8 AS usd FROM (
      SELECT ${key} AS key, hour, sum(request_count) AS requests, sum(cost_usd) AS usd FROM hourly_usage ${agents}
      WHERE hour >= ${until}::timestamptz - interval '7 days' AND hour < ${until}
      GROUP BY 1, hour
    ) AS hours GROUP BY key`.execute(db);
  return new Map(rows.map(({ key, ...busiest }) => [key, busiest]));
}

/** What policies decided since a time, by agent, policy and action: a request that breaks two rules of a policy is one. */
export async function readDecided(db: Db, since: Date) {
  const first = firstIdAt(since);
  const { rows } = await sql<{ agent_id: string; policy: string; action: string; rules: string[]; count: number }>`
    SELECT agent_id, policy, action, array_agg(DISTINCT rule ORDER BY rule) AS rules,
      sum(count) FILTER (WHERE place = 1)::bigint AS count
    FROM (
      SELECT *, row_number() OVER (PARTITION BY id, policy, action) AS place FROM (
        SELECT id, agent_id, policy, rule, 'refuse' AS action, count FROM (
          SELECT id, agent_id, decision, count FROM refused_requests
          WHERE id >= ${first} AND agent_id IS NOT NULL ORDER BY id DESC LIMIT ${most.refusals}
        ) AS refused CROSS JOIN LATERAL jsonb_to_recordset(decision) AS each (policy text, rule text)
        UNION ALL
        SELECT id, agent_id, policy, rule, action, 1 FROM (
          SELECT id, agent_id, decision FROM events
          WHERE id >= ${first} AND counts_as_request ORDER BY id DESC LIMIT ${most.decisions}
        ) AS passed CROSS JOIN LATERAL jsonb_to_recordset(decision) AS each (policy text, rule text, action text)
      ) AS rules
    ) AS decided GROUP BY agent_id, policy, action`.execute(db);
  return rows;
}

/** Personal data since a time, by agent, kind, tag, provider and model. */
export async function readFindings(db: Db, since: Date) {
  const { rows } = await sql<Record<'agent_id' | 'type' | 'tag' | 'provider' | 'model', string> & { count: number }>`
    SELECT agent_id, type, compliance_tag AS tag, provider, model, count(*)::integer AS count FROM (
      SELECT agent_id, pii_types, compliance_tag, provider, model FROM events
      WHERE pii_detected AND id >= ${firstIdAt(since)} ORDER BY id DESC LIMIT ${most.findings}
    ) AS found CROSS JOIN LATERAL unnest(pii_types) AS type
    GROUP BY agent_id, type, compliance_tag, provider, model`.execute(db);
  return rows;
}

/** Refused requests since a time, by agent and reason. @param without reasons that somebody wanted */
export async function readRefused(db: Db, since: Date, without: readonly string[]) {
  const { rows } = await sql<{ agent_id: string; reason: string; count: number; latest_at: Date }>`
    SELECT agent_id, reason, sum(count)::bigint AS count, max(reporting.id_time(id)) AS latest_at FROM (
      SELECT id, agent_id, reason, count FROM refused_requests
      WHERE id >= ${firstIdAt(since)} AND agent_id IS NOT NULL AND reason <> ALL (${without}::text[])
      ORDER BY id DESC LIMIT ${most.refusals}
    ) AS refused GROUP BY agent_id, reason ORDER BY count DESC`.execute(db);
  return rows;
}

/**
 * Refused requests of an hour of the week before a time, on average, by agent and reason: by hours, of the last days by entries of the audit
 * log, of the last minutes as they were counted.
 */
export async function readUsualRefusals(db: Db, until: Date, without: readonly string[]) {
  const inWeek = (column: string) =>
    sql`${sql.ref(column)} >= ${until}::timestamptz - interval '7 days' AND ${sql.ref(column)} < ${until}::timestamptz`;
  const { rows } = await sql<{ agent_id: string; reason: string; hourly: number }>`
    SELECT agent_id, reason, (sum(count) / 168.0)::float8 AS hourly FROM (
      SELECT agent_id, reason, refusal_count AS count FROM hourly_refusals WHERE ${inWeek('hour')}
      UNION ALL
      SELECT agent_id, reasons.key, reasons.value::bigint FROM (
        SELECT agent_id, payload FROM audit_log
        WHERE action = 'request.refused' AND ${inWeek('timestamp')} AND seq >= (SELECT next_seq FROM refusal_fill)
        ORDER BY "timestamp" DESC LIMIT ${most.decisions}
      ) AS log CROSS JOIN LATERAL json_each_text(payload::json -> 'after' -> 'reasons') AS reasons
      UNION ALL
      SELECT agent_id, reason, count FROM refusal_counts WHERE ${inWeek('minute')}
    ) AS refused
    WHERE agent_id IS NOT NULL AND reason <> ALL (${without}::text[])
    GROUP BY agent_id, reason`.execute(db);
  return rows;
}

/** Budgets that refused the latest request of agents since a time. */
export async function readRefusingBudgets(db: Db, since: Date) {
  const { rows } = await sql<{ agent_id: string; budget: string; at: Date }>`
    SELECT agent_id, substring(told FROM '^budget (\\S+) exceeded') AS budget, max(reporting.id_time(id)) AS at FROM (
      SELECT id, agent_id, told FROM refused_requests
      WHERE id >= ${firstIdAt(since)} AND agent_id IS NOT NULL AND reason = 'budget_exceeded'
        AND id >= coalesce((SELECT last_event_id FROM agent_last_seen AS seen WHERE seen.agent_id = refused_requests.agent_id), id)
      ORDER BY id DESC LIMIT ${most.refusals}
    ) AS refused GROUP BY 1, 2`.execute(db);
  return rows;
}

/** Models without a price that were used since a time. */
export async function readUnpricedSince(db: Db, since: Date) {
  const { rows } = await sql<{ provider: string; model: string; request_count: number }>`
    SELECT provider, model, request_count FROM unpriced_usage WHERE last_event_at >= ${since}
    ORDER BY last_event_at DESC LIMIT ${most.names}`.execute(db);
  return rows;
}

/** Doubtful bills since a time, by agent, provider and model. */
export async function readDoubtsSince(db: Db, since: Date) {
  const { rows } = await sql<{ agent_id: string; provider: string; model: string; count: number }>`
    SELECT agent_id, provider, model, count(*)::integer AS count FROM (
      SELECT agent_id, provider, model FROM doubtful_usage
      WHERE event_id >= ${firstIdAt(since)} ORDER BY event_id DESC LIMIT ${most.findings}
    ) AS latest GROUP BY agent_id, provider, model`.execute(db);
  return rows;
}

export interface FullCap {
  /** Null for that of all agents together. */
  agent_id: string | null;
  agent_name: string | null;
  day: string;
  daily_cap_usd: number;
  spent_usd: number;
  warn_only: boolean;
  /** Active agents that it holds for. */
  reach: number;
  /** Of all agents: it refused three requests in the last minutes, and nobody's has passed since. */
  has_no_room: boolean;
}

/** Of how long ago refusals say that a cap has no room, and so many of them. */
const noRoom = { minutes: 5, refusals: 3 };

/** Daily caps that are used by at least this part, the fullest first. */
export async function readFullCaps(db: Db, part: number) {
  const { rows } = await sql<FullCap>`
    SELECT agent_id, agent_name, day::text, daily_cap_usd, spent_usd, warn_only,
      CASE scope WHEN 'global' THEN (SELECT count(*)::integer FROM agents WHERE status = 'active') ELSE 1 END AS reach,
      scope = 'global' AND ${noRoom.refusals} = (SELECT count(*) FROM (
        SELECT FROM refused_requests WHERE reason = 'global_budget_exceeded' AND id >= greatest(
          reporting.first_id_at(clock_timestamp() - make_interval(mins => ${noRoom.minutes})),
          (SELECT last_event_id FROM agent_last_seen ORDER BY last_event_id DESC LIMIT 1))
        LIMIT ${noRoom.refusals}) AS refused) AS has_no_room
    FROM budgets_today
    WHERE daily_cap_usd > 0 AND used_ratio >= ${part} AND (scope = 'global' OR agent_status = 'active')
    ORDER BY used_ratio DESC, agent_id LIMIT ${most.names}`.execute(db);
  return rows;
}

/** Entries of the audit log from a place on, and the place after those that were looked at. */
export async function readAuditSince(db: Db, seq: number, actions: readonly string[]) {
  const head = await db.selectFrom('audit_head').select('length').executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('audit_log')
    .select(['seq', 'payload'])
    .where('seq', '>=', seq)
    .where('seq', '<', head.length)
    .where('action', 'in', actions)
    .orderBy('seq')
    .limit(most.entries)
    .execute();
  const last = rows.at(-1);
  return { rows, next: rows.length === most.entries && last ? last.seq + 1 : head.length };
}

/** Requests since a time whose events were lost or set aside, by why: those of the last minute may come yet. */
export async function readLostSince(db: Db, since: Date) {
  const { rows } = await sql<{ reason: string; count: number }>`
    SELECT reason, count(*)::integer AS count FROM unrecorded_spend
    WHERE day >= (${since}::timestamptz AT TIME ZONE 'UTC')::date - 1
      AND noted_at >= ${since} AND noted_at < clock_timestamp() - interval '1 minute'
    GROUP BY reason ORDER BY count DESC`.execute(db);
  return rows;
}

/** Sessions after one by id, which is empty for the first. */
export async function listSessionsAfter(db: Db, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ session_id: string }>`
    SELECT session_id FROM lineage_heads WHERE session_id COLLATE "C" > ${after} ORDER BY session_id COLLATE "C"
    LIMIT ${limit}`.execute(db);
  return rows.map(({ session_id }) => session_id);
}
