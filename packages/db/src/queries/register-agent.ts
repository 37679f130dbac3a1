import type { Pool } from 'pg';

/** The id of the agent with that name, or null when no request ever carried it. */
export async function findAgentId(pool: Pool, name: string): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find-agent-id',
    text: 'SELECT id FROM agents WHERE name = $1',
    values: [name],
  });
  return rows[0]?.id ?? null;
}

/**
 * Registers an agent by its first request, active (decisions.md section 2). Requests that race for one name all
 * get the row of the first.
 *
 * @param agent `id` is used if the name is new
 * @returns the id that the name has now
 */
export async function registerAgent(
  pool: Pool,
  agent: { id: string; name: string; sourceIp: string },
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'register-agent',
    text: 'INSERT INTO agents (id, name, source_ip) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING id',
    values: [agent.id, agent.name, agent.sourceIp],
  });
  // A statement does not see a row that another transaction committed while it ran: the loser looks again.
  const id = rows[0]?.id ?? (await findAgentId(pool, agent.name));
  if (id === null) throw new Error('an agent vanished while it was registered');
  return id;
}
