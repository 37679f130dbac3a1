import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database.ts';
import { firstIdAt } from './pages.ts';

/** Rows of refused requests that are looked at, whichever: in order they would be sorted on disk. A row may stand for many. */
const mostRows = 200_000;
/** Teams that are told, those with most. */
const mostTeams = 50;
const [hourMs, dayMs] = [3_600_000, 86_400_000];

interface Teams {
  teams: { team: string | null; agents: number; refused: number }[];
}

/** What a policy refused: in all, by day, by team, and of no team that is told. */
interface PolicyRefusals extends Teams {
  from: string;
  refused: number;
  days: { day: string; refused: number }[];
  unlisted: number;
}

/** Refused requests by the number of the day, from 1 on. */
type Counted = { days: Record<string, number> | null } & { teams: Teams['teams'] | null };

/**
 * What a policy refused on each of the last days, UTC, today too, by the sums of hours, which keep all; and by the label `team` that agents
 * have now, by the requests that are listed still. Sums know names alone: what was before the hour in which the policy was made is not
 * counted, since that was another's of its name.
 * @param isSummed false if the sums of hours are not the caller's to see: then days are of the listed requests too
 */
export async function countPolicyRefusals(
  db: Db,
  { name: policy, created_at: madeAt }: { name: string; created_at: Date },
  { now, days, isSummed }: { now: number; days: number; isSummed: boolean },
): Promise<PolicyRefusals> {
  const today = Math.floor(now / dayMs) * dayMs;
  const starts = Array.from({ length: days }, (_, at) => new Date(today - (days - 1 - at) * dayMs));
  const from = starts[0] as Date;
  const since = new Date(Math.max(from.getTime(), Math.floor(madeAt.getTime() / hourMs) * hourMs));
  // Hour by hour, since an hour has all policies' rows.
  const ofHours: RawBuilder<unknown> = sql`
    SELECT width_bucket(summed.hour, ${starts}::timestamptz[]) AS day, sum(event_count) AS refused
    FROM generate_series(${since}::timestamptz, ${new Date(now)}::timestamptz, interval '1 hour') AS hours (hour)
    JOIN hourly_decisions AS summed ON summed.hour = hours.hour AND policy = ${policy} AND rule = '' AND action = 'refuse'
    GROUP BY 1`;
  const ofRows = sql`SELECT day, sum(refused) AS refused FROM found GROUP BY 1`;
  const { rows } = await sql<Counted>`
    WITH found AS MATERIALIZED (
      SELECT agent_id, width_bucket(id, ${starts.map(firstIdAt)}::uuid[]) AS day, sum(count) AS refused FROM (
        SELECT id, agent_id, count FROM refused_requests
        WHERE id >= ${firstIdAt(since)} AND decision @> ${JSON.stringify([{ policy }])}::jsonb
        LIMIT ${mostRows}
      ) AS listed GROUP BY 1, 2
    ), teams AS (
      SELECT CASE WHEN jsonb_typeof(metadata->'team') = 'string' THEN metadata->>'team' END AS team,
        count(DISTINCT agent_id)::int AS agents, sum(refused)::bigint AS refused
      FROM found JOIN agents ON agents.id = agent_id GROUP BY 1
    )
    SELECT (SELECT jsonb_object_agg(day, refused) FROM (${isSummed ? ofHours : ofRows}) AS each) AS days,
      (SELECT jsonb_agg(to_jsonb(teams) ORDER BY team IS NULL, refused DESC, team) FROM teams) AS teams`.execute(db);
  const [counted] = rows as [Counted];
  const byDay = starts.map((start, at) => {
    return { day: start.toISOString().slice(0, 10), refused: counted.days?.[at + 1] ?? 0 };
  });
  const all = counted.teams ?? [];
  const named = all.filter(({ team }) => team !== null);
  const teams = [...named.slice(0, mostTeams), ...all.slice(named.length)];
  const refused = byDay.reduce((sum, each) => sum + each.refused, 0);
  const ofTeams = teams.reduce((sum, each) => sum + each.refused, 0);
  return { from: from.toISOString(), refused, days: byDay, teams, unlisted: Math.max(0, refused - ofTeams) };
}
