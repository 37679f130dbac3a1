import type { Pool } from 'pg';

/** The owner of a token. It never changes, so it may be cached; whether the token still works must not be. */
export interface AgentTokenOwner {
  /** UUID of the token. */
  id: string;
  agentName: string;
}

/** The tokens with these digests (hex) of their secrets, expired ones included. Revoked and unknown ones are missing. */
export async function findAgentTokens(pool: Pool, digests: readonly string[]): Promise<Map<string, AgentTokenOwner>> {
  const { rows } = await pool.query<{ id: string; agent_name: string; secret_sha256: Buffer }>({
    name: 'find-agent-tokens',
    text: 'SELECT id, agent_name, secret_sha256 FROM agent_tokens WHERE secret_sha256 = ANY($1)',
    values: [digests.map((digest) => Buffer.from(digest, 'hex'))],
  });
  return new Map(rows.map((row) => [row.secret_sha256.toString('hex'), { id: row.id, agentName: row.agent_name }]));
}
