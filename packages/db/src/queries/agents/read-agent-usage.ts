import type { AgentOverview } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';

type Parts = Pick<AgentOverview, 'days' | 'models' | 'findings'>;
type Row = Omit<Parts['days'][number], 'day'> & { day: string | null; model: string | null };

const dayMs = 86_400_000;
const mostModels = 20;

/**
 * What an agent used in some days, by day and by model, and the kinds of personal data that were found.
 *
 * @param agentId UUID
 * @param lastDay `YYYY-MM-DD`, UTC
 * @param dayCount days until that one, included
 */
export async function readAgentUsage(db: Db, agentId: string, lastDay: string, dayCount: number): Promise<Parts> {
  const last = Date.parse(lastDay);
  // Each day by itself: the primary key begins with it.
  const days = Array.from({ length: dayCount }, (_, back) => new Date(last - back * dayMs).toISOString().slice(0, 10));
  const { rows } = await sql<Row>`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, model, sum(cost_usd) AS total_cost_usd,
      sum(prompt_tokens) + sum(completion_tokens) AS total_tokens, sum(request_count)::bigint AS request_count
    FROM daily_usage WHERE agent_id = ${agentId} AND day = ANY (${days}::date[])
    GROUP BY GROUPING SETS ((day), (model)) ORDER BY day, total_cost_usd DESC, model`.execute(db);
  const { rows: findings } = await sql<Parts['findings'][number]>`
    SELECT kind AS type, sum(event_count)::bigint AS event_count FROM hourly_findings
    WHERE agent_id = ${agentId} AND hour >= ${`${days.at(-1)}T00:00:00Z`}::timestamptz
    GROUP BY kind ORDER BY event_count DESC, kind LIMIT 50`.execute(db);
  return {
    days: rows.flatMap(({ model: _, day, ...sums }) => (day === null ? [] : [{ day, ...sums }])),
    models: rows
      .flatMap(({ day: _, model, ...sums }) => (model === null ? [] : [{ model, ...sums }]))
      .slice(0, mostModels),
    findings,
  };
}
