import type { Charge } from '@agp/budgets';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import { hasLabel } from './agents.ts';
import { listAsked, readAmounts, usedSql } from './budgets.ts';
import { likeAny, type PageRange } from './pages.ts';

/** The spend of the UTC day `$1`, in USD. Use both sums in one statement, or an event may be missing from both. */

export const agentSpendUsd = `(
  coalesce((SELECT sum(cost_usd) FROM daily_usage WHERE day = $1 AND agent_id = asked.agent_id), 0)
    + coalesce((SELECT sum(cost_usd) FROM unrecorded_spend WHERE day = $1 AND agent_id = asked.agent_id), 0)
  )`;

export const globalSpendUsd = `(
  coalesce((SELECT sum(cost_usd) FROM daily_global_spend WHERE day = $1), 0)
    + coalesce((SELECT sum(cost_usd) FROM unrecorded_spend WHERE day = $1), 0)
  )`;

/** In whole nano-dollars. */
export type Spend = readonly [ofAgent: number, ofAll: number];

interface Row {
  agent_id: string;
  agent_spend: number;
  global_spend: number;
}

const spendColumns = `1e9 * ${agentSpendUsd} AS agent_spend, 1e9 * ${globalSpendUsd} AS global_spend`;

const spendText = `SELECT asked.agent_id, ${spendColumns} FROM unnest($2::uuid[]) AS asked (agent_id)`;
const spendAndUsedText = `
  SELECT asked.agent_id, ${spendColumns}, used.used
  FROM unnest($2::uuid[]) AS asked (agent_id) CROSS JOIN (SELECT (${usedSql(3)}) AS used) AS used`;

/** Spend of several agents and of all together, and what is used of budgets in their order, in one statement. */
export async function readSpend(
  pool: Pool,
  day: string,
  agentIds: readonly string[],
  charges: readonly Charge[],
): Promise<{ spends: Map<string, Spend>; used: number[] }> {
  const query =
    charges.length === 0
      ? { name: 'read-spend', text: spendText, values: [day, agentIds] }
      : { name: 'read-spend-and-used', text: spendAndUsedText, values: [day, agentIds, ...listAsked(charges)] };
  const { rows } = await pool.query<Row & { used?: string | null }>(query);
  return { spends: new Map(rows.map((row) => [row.agent_id, toSpend(row)])), used: readAmounts(rows[0]?.used ?? null) };
}

export async function readSpendWithRecorded(
  pool: Pool,
  day: string,
  agentIds: readonly string[],
  eventIds: readonly string[],
  charges: readonly Charge[],
): Promise<{ spends: Map<string, Spend>; recorded: Set<string>; used: number[] }> {
  // OFFSET 0: each event is looked up in its one partition.
  const { rows } = await pool.query<Row & { recorded: string[]; used: string | null }>({
    name: 'read-spend-with-recorded',
    text: `WITH already AS MATERIALIZED (
             SELECT ARRAY(SELECT found.id FROM unnest($3::uuid[]) AS asked (id)
                          CROSS JOIN LATERAL (SELECT id FROM events WHERE events.id = asked.id OFFSET 0) AS found
                          UNION SELECT event_id FROM unrecorded_spend WHERE event_id = ANY($3::uuid[])) AS recorded
           )
           SELECT asked.agent_id, ${spendColumns}, already.recorded,
             (${usedSql(4)}) AS used
           FROM unnest($2::uuid[]) AS asked (agent_id) CROSS JOIN already`,
    values: [day, agentIds, eventIds, ...listAsked(charges)],
  });
  return {
    spends: new Map(rows.map((row) => [row.agent_id, toSpend(row)])),
    recorded: new Set(rows[0]?.recorded),
    used: readAmounts(rows[0]?.used ?? null),
  };
}

const toSpend = (row: Row): Spend => [row.agent_spend, row.global_spend];

interface CapUse {
  /** Active agents that have a cap above 0 and spent at least `near` (0 to 1) of it. */
  agents_near: number;
  agents_at: number;
  /** Null without such a cap. */
  global_ratio: number | null;
}

export async function readCapUse(db: Db, near: number): Promise<CapUse> {
  const { rows } = await sql<CapUse>`
    SELECT count(*) FILTER (WHERE of_agent AND used_ratio >= ${near}) AS agents_near,
      count(*) FILTER (WHERE of_agent AND used_ratio >= 1) AS agents_at,
      max(used_ratio) FILTER (WHERE scope = 'global') AS global_ratio
    FROM (
      SELECT *, scope = 'agent' AND agent_status = 'active' AND daily_cap_usd > 0 AS of_agent
      FROM budgets_today
    ) AS budgets`.execute(db);
  return rows[0] as CapUse;
}

const mostSorted = 1_000;

export interface BudgetFilter {
  /** A part of the agent's name, in any case. */
  search?: string | undefined;
  label?: string | undefined;
  /** Whether only agents with a cap are wanted. */
  capped?: boolean | undefined;
}

/** Agents that have used most of their cap on a UTC day, then agents without a cap, the dearest first. Retired ones are left out. */
export async function listAgentsByCapUse(
  db: Db,
  day: string,
  { search, label, capped }: BudgetFilter,
  { limit, offset }: PageRange,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT agents.id
    FROM agents LEFT JOIN (
      SELECT agent_id, sum(cost_usd) AS usd FROM daily_usage WHERE day = ${day} GROUP BY agent_id
    ) AS spent ON spent.agent_id = agents.id
    WHERE agents.status <> 'retired' AND name ILIKE ${likeAny(search)} AND (daily_cap_usd IS NOT NULL OR ${!capped})
      AND ${label === undefined ? sql`true` : hasLabel(label)}
    ORDER BY CASE WHEN daily_cap_usd > 0 THEN coalesce(spent.usd, 0) / daily_cap_usd
                  WHEN daily_cap_usd = 0 THEN 'Infinity'::numeric END DESC NULLS LAST,
      spent.usd DESC NULLS LAST, agents.id
    LIMIT ${Math.min(limit ?? mostSorted, mostSorted)} OFFSET ${offset}`.execute(db);
  return rows.map(({ id }) => id);
}
