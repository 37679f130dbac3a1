import type { Pool } from 'pg';

/** What admission decides by, as storage has it at this moment. */
export interface AgentStatus {
  status: 'active' | 'blocked' | 'retired';
  /** The tag that ops have set in the agent's metadata, if any, whatever it holds. */
  complianceTag: string | null;
}

/**
 * Reads the status of several agents in one statement. Nothing here is ever cached: the kill switch holds from the
 * next request on (interface.md section 3).
 *
 * @param agentIds UUIDs; those that storage does not know are missing from the result
 */
export async function readAgentStatuses(pool: Pool, agentIds: string[]): Promise<Map<string, AgentStatus>> {
  const { rows } = await pool.query<{ id: string; status: AgentStatus['status']; compliance_tag: string | null }>({
    name: 'read-agent-statuses',
    text: `SELECT id, status, metadata->>'compliance_tag' AS compliance_tag FROM agents WHERE id = ANY($1)`,
    values: [agentIds],
  });
  return new Map(rows.map((row) => [row.id, { status: row.status, complianceTag: row.compliance_tag }]));
}
