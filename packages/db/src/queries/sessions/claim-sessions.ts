import type { Pool } from 'pg';

export interface SessionClaim {
  sessionId: string;
  /** UUID */
  agentId: string;
}

const readOwners = 'SELECT id, agent_id FROM sessions WHERE id = ANY($1)';

/**
 * Claims sessions for the agents that use them first. A session belongs to one agent for ever.
 *
 * @returns the owner of each session; another agent where the claim came too late
 */
export async function claimSessions(pool: Pool, claims: SessionClaim[]): Promise<Map<string, string>> {
  const first = new Map<string, string>();
  for (const claim of claims) if (!first.has(claim.sessionId)) first.set(claim.sessionId, claim.agentId);
  // Sorted, so that two proxies that claim the same sessions cannot deadlock.
  const ids = [...first.keys()].sort();
  const values = [ids, ids.map((id) => first.get(id))];
  const made = await pool.query<{ id: string; agent_id: string }>({
    name: 'claim-sessions',
    text: `INSERT INTO sessions (id, agent_id) SELECT * FROM unnest($1::text[], $2::uuid[])
           ON CONFLICT (id) DO NOTHING RETURNING id, agent_id`,
    values,
  });
  const owners = new Map(made.rows.map((row) => [row.id, row.agent_id]));
  const taken = ids.filter((id) => !owners.has(id));
  if (taken.length > 0) {
    const known = await pool.query<{ id: string; agent_id: string }>({
      name: 'read-session-owners',
      text: readOwners,
      values: [taken],
    });
    for (const row of known.rows) owners.set(row.id, row.agent_id);
  }
  return owners;
}
