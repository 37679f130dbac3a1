import type { AgentOverview, CostBreakdownEntry, CostSummary } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { RowOf } from '../statements.ts';
import { firstIdAt } from './pages.ts';

type Parts = Pick<AgentOverview, 'days' | 'models' | 'findings'>;
type Row = Omit<Parts['days'][number], 'day'> & { day: string | null; model: string | null };

const dayMs = 86_400_000;
const mostModels = 20;

/** What an agent used in `dayCount` UTC days until `lastDay`, by day and by model, and the kinds of personal data that were found. */
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

/** The costliest first, ties by id. */
export async function listAgentCosts(db: Db): Promise<CostBreakdownEntry[]> {
  const { rows } = await sql<CostBreakdownEntry>`
    SELECT usage.agent_id, agents.name AS agent_name, total_cost_usd, total_prompt_tokens, total_completion_tokens,
      total_prompt_tokens + total_completion_tokens AS total_tokens, request_count,
      -- None while an agent has only the first halves of pairs.
      coalesce(total_cost_usd / nullif(request_count, 0), 0) AS avg_cost_per_request_usd, models_used
    FROM (
      SELECT agent_id,
             sum(cost_usd) AS total_cost_usd,
             sum(prompt_tokens) AS total_prompt_tokens,
             sum(completion_tokens) AS total_completion_tokens,
             sum(request_count) AS request_count,
             array_agg(model ORDER BY model COLLATE "C") AS models_used
      FROM agent_usage
      GROUP BY agent_id
    ) usage
    JOIN agents ON agents.id = usage.agent_id
    ORDER BY total_cost_usd DESC, usage.agent_id`.execute(db);
  return rows;
}

type CostTotalsRow = RowOf<CostSummary, 'date_from' | 'date_to'>;

export async function summarizeCosts(db: Db): Promise<CostTotalsRow> {
  const { rows } = await sql<CostTotalsRow>`
    SELECT coalesce(sum(cost_usd), 0) AS total_cost_usd,
           coalesce(sum(prompt_tokens), 0) AS total_prompt_tokens,
           coalesce(sum(completion_tokens), 0) AS total_completion_tokens,
           coalesce(sum(prompt_tokens) + sum(completion_tokens), 0) AS total_tokens,
           min(first_event_at) AS date_from,
           max(last_event_at) AS date_to,
           count(DISTINCT agent_id) AS agent_count,
           coalesce(sum(request_count), 0) AS request_count
    FROM agent_usage`.execute(db);
  return rows[0] as CostTotalsRow;
}

/** The latest that are read. */
const mostEvents = 5_000;
const mostTools = 500;

interface AgentToolRow {
  kind: string;
  name: string;
  declared: number;
  called: number;
  first_seen_at: Date;
  last_seen_at: Date;
}

const listOf = (member: 'declared' | 'called') =>
  sql`jsonb_array_elements(CASE jsonb_typeof(tools -> ${sql.lit(member)}) WHEN 'array' THEN tools -> ${sql.lit(member)} ELSE '[]' END)`;

/** Tools of the latest 5,000 events since a time, of an agent or all, by their fullest names, those called most first. */
export async function listTools(db: Db, agentId: string | null, since: Date): Promise<AgentToolRow[]> {
  const own = agentId === null ? sql`true` : sql`agent_id = ${agentId}`;
  const { rows } = await sql<AgentToolRow>`
    WITH latest AS (
      SELECT id, "timestamp", tools FROM events
      WHERE ${own} AND id >= ${firstIdAt(since)} ORDER BY id DESC LIMIT ${mostEvents}
    ), seen AS (
      SELECT id, "timestamp", true AS is_call, tool FROM latest, ${listOf('called')} AS tool
      UNION ALL
      SELECT id, "timestamp", false, tool FROM latest, ${listOf('declared')} AS tool
    )
    SELECT kind, name, count(DISTINCT id) FILTER (WHERE NOT is_call) AS declared,
      count(DISTINCT id) FILTER (WHERE is_call) AS called, min("timestamp") AS first_seen_at, max("timestamp") AS last_seen_at
    FROM seen, LATERAL (SELECT tool ->> 'kind' AS kind, tool -> 'names' ->> 0 AS name) AS named
    GROUP BY kind, name ORDER BY called DESC, declared DESC, name COLLATE "C", kind LIMIT ${mostTools}`.execute(db);
  return rows;
}
