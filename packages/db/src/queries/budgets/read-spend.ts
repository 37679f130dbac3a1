import type { Pool } from 'pg';
import { agentSpendUsd, globalSpendUsd } from './spend-sql.ts';

/** The spend of a UTC day, in whole nano-dollars, of an agent and of all together. */
export interface Spend {
  agentNanoUsd: number;
  globalNanoUsd: number;
}

interface Row {
  agent_id: string;
  agent_spend: number;
  global_spend: number;
}

const spendColumns = `1e9 * ${agentSpendUsd} AS agent_spend, 1e9 * ${globalSpendUsd} AS global_spend`;

/**
 * Reads the spend of several agents and of all together, in one statement.
 *
 * @param day `YYYY-MM-DD`
 * @param agentIds UUIDs
 */
export async function readSpend(pool: Pool, day: string, agentIds: readonly string[]): Promise<Map<string, Spend>> {
  const { rows } = await pool.query<Row>({
    name: 'read-spend',
    text: `SELECT asked.agent_id, ${spendColumns} FROM unnest($2::uuid[]) AS asked (agent_id)`,
    values: [day, agentIds],
  });
  return new Map(rows.map((row) => [row.agent_id, toSpend(row)]));
}

/**
 * The same, and which of some events it already contains: their reservations no longer count. One statement, so that both are of the
 * same moment.
 *
 * @param eventIds UUIDs
 */
export async function readSpendWithRecorded(
  pool: Pool,
  day: string,
  agentIds: readonly string[],
  eventIds: readonly string[],
): Promise<{ spends: Map<string, Spend>; recorded: Set<string> }> {
  // OFFSET 0: each event is looked up in its one partition.
  const { rows } = await pool.query<Row & { recorded: string[] }>({
    name: 'read-spend-with-recorded',
    text: `WITH already AS MATERIALIZED (
             SELECT ARRAY(SELECT found.id FROM unnest($3::uuid[]) AS asked (id)
                          CROSS JOIN LATERAL (SELECT id FROM events WHERE events.id = asked.id OFFSET 0) AS found
                          UNION SELECT event_id FROM unrecorded_spend WHERE event_id = ANY($3::uuid[])) AS recorded
           )
           SELECT asked.agent_id, ${spendColumns}, already.recorded
           FROM unnest($2::uuid[]) AS asked (agent_id) CROSS JOIN already`,
    values: [day, agentIds, eventIds],
  });
  return {
    spends: new Map(rows.map((row) => [row.agent_id, toSpend(row)])),
    recorded: new Set(rows[0]?.recorded),
  };
}

const toSpend = (row: Row): Spend => ({ agentNanoUsd: row.agent_spend, globalNanoUsd: row.global_spend });
