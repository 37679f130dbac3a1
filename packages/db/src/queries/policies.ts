import type { Asked, Decision, EventTools, PiiFinding } from '@agp/core/events';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { firstIdAt } from './pages.ts';

/** Which of some agents' names are claimed; and whether others need no token: none do if all agents that were seen have claimed theirs. */
export async function findClaimed(db: Db, names: readonly string[]): Promise<{ isOpen: boolean; claimed: string[] }> {
  const { rows } = await sql<{ isOpen: boolean; claimed: string[] }>`
    SELECT NOT EXISTS (SELECT FROM agents) OR EXISTS (
        SELECT FROM agents WHERE NOT EXISTS (SELECT FROM claimed_names WHERE claimed_names.name = agents.name)) AS "isOpen",
      ARRAY(SELECT name FROM claimed_names WHERE name = ANY(${names}::text[])) AS claimed`.execute(db);
  return rows[0] ?? { isOpen: true, claimed: [] };
}

export interface PolicyHits {
  /** Requests that it refused, and recorded ones for which it decided something. */
  refused: number;
  noted: number;
  by: { rule: string; action: string; requests: number }[];
}

/** What policies decided since the hour of a time, exactly, by their names. */
export async function countPolicyHits(db: Db, since: Date): Promise<Map<string, PolicyHits>> {
  const { rows } = await sql<PolicyHits & { policy: string }>`
    SELECT policy, sum(requests) FILTER (WHERE rule = '' AND action = 'refuse')::bigint AS refused,
      sum(requests) FILTER (WHERE rule = '' AND action = 'note')::bigint AS noted,
      coalesce(jsonb_agg(jsonb_build_object('rule', rule, 'action', action, 'requests', requests) ORDER BY rule, action)
        FILTER (WHERE rule <> ''), '[]') AS by
    FROM (
      SELECT policy, rule, action, sum(event_count) AS requests FROM hourly_decisions
      WHERE hour >= date_trunc('hour', ${since}::timestamptz, 'UTC') GROUP BY 1, 2, 3
    ) AS hits GROUP BY policy`.execute(db);
  return new Map(
    rows.map(({ policy, refused, noted, by }) => [policy, { refused: refused ?? 0, noted: noted ?? 0, by }]),
  );
}

/** The same of a team's agents, of all policies: of the latest of what was decided, as many as alerts look at. @param db sees the team alone */
export async function countTeamHits(db: Db, since: Date): Promise<Map<string, PolicyHits>> {
  const first = firstIdAt(since);
  const { rows } = await sql<PolicyHits & { policy: string }>`
    WITH decided AS (
      SELECT id, policy, rule, 'refuse' AS action, count FROM (
        SELECT id, decision, count FROM refused_requests
        WHERE id >= ${first} AND decision IS NOT NULL ORDER BY id DESC LIMIT ${mostDecided}
      ) AS refused CROSS JOIN LATERAL jsonb_to_recordset(decision) AS each (policy text, rule text)
      UNION ALL
      SELECT id, policy, rule, action, 1 FROM (
        SELECT id, decision FROM events
        WHERE id >= ${first} AND decision IS NOT NULL ORDER BY id DESC LIMIT ${mostDecided}
      ) AS passed CROSS JOIN LATERAL jsonb_to_recordset(decision) AS each (policy text, rule text, action text)
    ), requests AS (SELECT DISTINCT id, policy, action = 'refuse' AS is_refused, count FROM decided),
    rules AS (SELECT policy, rule, action, sum(count)::bigint AS requests FROM decided GROUP BY 1, 2, 3)
    SELECT policy, coalesce(sum(count) FILTER (WHERE is_refused), 0)::bigint AS refused,
      coalesce(sum(count) FILTER (WHERE NOT is_refused), 0)::bigint AS noted,
      (SELECT jsonb_agg(jsonb_build_object('rule', rule, 'action', action, 'requests', requests) ORDER BY rule, action)
        FROM rules WHERE rules.policy = requests.policy) AS by
    FROM requests GROUP BY policy`.execute(db);
  return new Map(rows.map(({ policy, ...hits }) => [policy, hits]));
}

const mostDecided = 20_000;

export interface RecordedCallRow {
  id: string;
  session_id: string;
  agent_id: string;
  agent_name: string;
  /** Null without any. */
  labels: Record<string, string> | null;
  timestamp: Date;
  compliance_tag: string;
  provider: string;
  model: string;
  asked: Asked | null;
  tools: EventTools | null;
  decision: Decision[] | null;
  pii_types: string[];
  pii_findings: PiiFinding[] | null;
  pii_scan: string | null;
}

const replayedAtOnce = 5_000;

/** Recorded requests of a range of time, the latest first, in pages. */
export async function* readRecordedCalls(db: Db, from: Date, to: Date): AsyncGenerator<RecordedCallRow[]> {
  for (let end = firstIdAt(to); ; ) {
    const rows = await db
      .selectFrom('events')
      .innerJoin('agents', 'agents.id', 'events.agent_id')
      .select(['events.id', 'events.session_id', 'events.agent_id', 'agents.name as agent_name', 'events.labels'])
      .select([
        'events.timestamp',
        'events.compliance_tag',
        'events.provider',
        'events.model',
        'events.asked',
        'events.tools',
        'events.decision',
        'events.pii_types',
        'events.pii_findings',
        'events.pii_scan',
      ])
      .where('events.id', '>=', firstIdAt(from))
      .where('events.id', '<', end)
      .where('events.counts_as_request', '=', true)
      .orderBy('events.id', 'desc')
      .limit(replayedAtOnce)
      .execute();
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < replayedAtOnce) return;
    end = last.id;
  }
}
