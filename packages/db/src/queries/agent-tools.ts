import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { firstIdAt } from './pages.ts';

/** The latest that are read of an agent. */
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

/** Tools of an agent's latest 5,000 events since a time, by their fullest names, those called most first. */
export async function listAgentTools(db: Db, agentId: string, since: Date): Promise<AgentToolRow[]> {
  const { rows } = await sql<AgentToolRow>`
    WITH latest AS (
      SELECT id, "timestamp", tools FROM events
      WHERE agent_id = ${agentId} AND id >= ${firstIdAt(since)} ORDER BY id DESC LIMIT ${mostEvents}
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
