import type { Pool } from 'pg';

/** Whose a token is. Never changes, so it may be remembered; whether the token still works may not. */
export interface AgentTokenOwner {
  /** UUID of the token. */
  id: string;
  agentName: string;
}

/** The token with this digest of its secret, expired ones too; null where it was never issued, or is revoked. */
export async function findAgentToken(pool: Pool, secretSha256: Buffer): Promise<AgentTokenOwner | null> {
  const { rows } = await pool.query<{ id: string; agent_name: string }>({
    name: 'find-agent-token',
    text: 'SELECT id, agent_name FROM agent_tokens WHERE secret_sha256 = $1',
    values: [secretSha256],
  });
  const [row] = rows;
  return row ? { id: row.id, agentName: row.agent_name } : null;
}
