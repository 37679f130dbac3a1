import type { Status } from '@agp/core/contracts';
import { firstUuidAt } from '@agp/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import { lastMigration } from '../migrations/index.ts';
import { saysNoRoom } from './agent-limits.ts';
import { listUsage, type UsageRow } from './usage.ts';

interface StorageChecks {
  postgres(): Promise<void>;
  /** The last migration of this build is applied. A newer schema is fine: migrations only add. */
  schema(): Promise<void>;
}

/** A service may start before its schema is there, and is not ready then. Migrations are never undone, so one success is remembered. */
export function createStorageChecks(pool: Pool): StorageChecks {
  let isUpToDate = false;
  return {
    async postgres() {
      await pool.query('SELECT 1');
    },
    async schema() {
      if (isUpToDate) return;
      const { rowCount } = await pool.query('SELECT FROM kysely_migration WHERE name = $1', [lastMigration]);
      if (rowCount !== 1) throw new Error(`migration ${lastMigration} is not applied yet`);
      isUpToDate = true;
    },
  };
}

interface RecordingHealth {
  quarantine_waiting: number;
  /** The end of the last partition of events; null without any. */
  partitions_end: Date | null;
  default_partition_events: number;
  /** The oldest minute whose refusals are not in the audit log's chain yet. */
  oldest_unsealed_refusals: Date | null;
}

export async function readRecordingHealth(db: Db): Promise<RecordingHealth> {
  const { rows } = await sql<RecordingHealth>`
    SELECT quarantine_waiting, partitions_end, default_partition_events, oldest_unsealed_refusals
    FROM recording_health`.execute(db);
  return rows[0] as RecordingHealth;
}

/** Each part reads sums or the end of an index, and ends at a bound, so that it takes as long with ten million events as with ten. */

const mostCounted = 10_000;
const mostEntries = 20_000;

async function rowsOf<Row>(db: Db, query: RawBuilder<Row>): Promise<Row[]> {
  return (await query.execute(db)).rows;
}

interface LatestRecording {
  recorded_at: Date;
  timestamp: Date;
  payload: string;
}

/** When events and refusals last came, and what waits. */
export async function readRecordingState(db: Db) {
  const [latest] = await rowsOf(
    db,
    sql<LatestRecording>`SELECT recorded_at, "timestamp", payload FROM events ORDER BY id DESC LIMIT 1`,
  );
  const [health] = await rowsOf(
    db,
    sql<{ quarantine_waiting: number; oldest_unsealed: Date | null; last_refused: Date | null; now: Date }>`
      SELECT (SELECT quarantine_waiting FROM recording_health) AS quarantine_waiting,
        min(minute) AS oldest_unsealed, max(refused_at) AS last_refused, clock_timestamp() AS now
      FROM refusal_counts`,
  );
  return { latest, ...(health as NonNullable<typeof health>) };
}

type Requests = NonNullable<Status['requests']>;

export async function countRequestsSince(db: Db, since: Date): Promise<Omit<Requests, 'since'>> {
  const first = firstUuidAt(since.getTime());
  const ended = (outcome: string) => sql`(
    SELECT count(*) FROM (
      SELECT FROM events WHERE outcome = ${outcome} AND outcome <> 'completed' AND id >= ${first} LIMIT ${mostCounted}
    ) AS ended)`;
  const [counts] = await rowsOf(
    db,
    sql<Pick<Requests, 'aborted' | 'killed'>>`SELECT ${ended('aborted')} AS aborted, ${ended('killed')} AS killed`,
  );
  const [[sum]] = (await Array.fromAsync(listUsage(db, { groups: [], from: since }))) as [[UsageRow]];
  const reasons = await rowsOf(
    db,
    sql<{ reason: string; count: number; entries: number }>`
      SELECT reason, sum(count)::bigint AS count, sum(entry)::bigint AS entries FROM (
        SELECT reasons.key AS reason, reasons.value::bigint AS count, 1 AS entry
        FROM (
          SELECT payload FROM audit_log
          WHERE action = 'request.refused' AND "timestamp" >= ${since} AND seq >= (SELECT next_seq FROM refusal_fill)
          ORDER BY "timestamp" DESC LIMIT ${mostEntries}
        ) AS log CROSS JOIN LATERAL json_each_text(payload::json -> 'after' -> 'reasons') AS reasons
        UNION ALL
        SELECT reason, refusal_count, 0 FROM hourly_refusals WHERE hour >= ${since}
        UNION ALL
        (SELECT reason, count, 0 FROM refusal_counts WHERE minute >= ${since} LIMIT ${mostEntries})
      ) AS refused GROUP BY reason ORDER BY count DESC, reason`,
  );
  const { aborted, killed } = counts as NonNullable<typeof counts>;
  const add = (pick: 'count' | 'entries') => reasons.reduce((total, row) => total + row[pick], 0);
  return {
    ...{ request_count: sum.request_count, failed: sum.failed_count, aborted, killed },
    refused: add('count'),
    refused_by: reasons.slice(0, 10).map(({ reason, count }) => ({ reason, count })),
    is_more: Math.max(aborted, killed) >= mostCounted || add('entries') >= mostEntries,
  };
}

type Spend = NonNullable<Status['spend']>;

/** Spend of today against caps, without what is reserved; near its cap is who spent `near` of it, or whose next request has no room. */
export async function readCapsAndSpend(db: Db, near: number): Promise<Spend> {
  const rows = await rowsOf(
    db,
    sql<Spend['agents_near_cap'][number] & { scope: string; day: string; count: number }>`
      WITH filled AS MATERIALIZED (
        SELECT DISTINCT reporting.public_id('agt', refused.agent_id) AS agent_id
        FROM refused_requests AS refused
        JOIN (SELECT id AS agent_id, cap_changed_at FROM agents) AS asked ON ${sql.raw(saysNoRoom("date_trunc('day', now(), 'UTC')"))}
        WHERE refused.id >= reporting.first_id_at(now() - interval '1 hour')
      )
      SELECT day::text, scope, agent_id, agent_name, spent_usd, daily_cap_usd, warn_only,
        agent_id IN (SELECT agent_id FROM filled) AS no_room, count(*) OVER (PARTITION BY scope) AS count
      FROM budgets_today
      WHERE scope = 'global' OR (agent_status = 'active' AND daily_cap_usd > 0
        AND (used_ratio >= ${near} OR agent_id IN (SELECT agent_id FROM filled)))
      ORDER BY scope DESC, used_ratio DESC, agent_name LIMIT 11`,
  );
  const [global, ...agents] = rows as [(typeof rows)[0], ...typeof rows];
  const { day, spent_usd, daily_cap_usd, warn_only } = global;
  return {
    ...{ day, spent_usd, daily_cap_usd, warn_only },
    agents_near_cap: agents.map(({ scope: _, day: __, count: ___, ...agent }) => agent),
    agents_near_cap_count: agents[0]?.count ?? 0,
  };
}

type Agents = NonNullable<Status['agents']>;
type LatestBlocked = Omit<Agents['latest_blocked'][number], 'updated_at'> & { updated_at: Date };

export async function countAgents(db: Db) {
  const [counts] = await rowsOf(
    db,
    sql<Pick<Agents, 'active' | 'blocked' | 'retired'>>`
      SELECT count(*) FILTER (WHERE status = 'active') AS active, count(*) FILTER (WHERE status = 'blocked') AS blocked,
        count(*) FILTER (WHERE status = 'retired') AS retired FROM agents`,
  );
  const latest_blocked = await rowsOf(
    db,
    sql<LatestBlocked>`
      SELECT id AS agent_id, name AS agent_name, updated_at FROM agents WHERE status = 'blocked'
      ORDER BY updated_at DESC, id LIMIT 10`,
  );
  return { ...(counts as NonNullable<typeof counts>), latest_blocked };
}

export function countPii(db: Db, since: Date): Promise<NonNullable<Status['pii']>> {
  return rowsOf(
    db,
    sql`
      SELECT kind AS type, sum(event_count)::bigint AS event_count FROM hourly_findings WHERE hour >= ${since}
      GROUP BY kind ORDER BY event_count DESC, kind LIMIT 10`,
  );
}

type Unpriced = NonNullable<Status['unpriced_models']>;
type LatestUnpriced = Omit<Unpriced['latest'][number], 'last_seen_at'> & { last_seen_at: Date };

export async function readUnpriced(db: Db) {
  const latest = await rowsOf(
    db,
    sql<LatestUnpriced & { count: number }>`
      SELECT provider, model, request_count, last_event_at AS last_seen_at, count(*) OVER () AS count
      FROM unpriced_usage ORDER BY last_event_at DESC, provider, model LIMIT 5`,
  );
  return { count: latest[0]?.count ?? 0, latest: latest.map(({ count: _, ...model }) => model) };
}
