import type { Pool } from 'pg';

/** Whose a token is. Never changes, so it may be remembered; whether the token still works may not. */
export interface AgentTokenOwner {
  /** UUID of the token. */
  id: string;
  agentName: string;
}

/**
 * The tokens with these digests of their secrets, in hex; expired ones too. Those that were never issued, or are revoked,
 * are missing.
 */
export async function findAgentTokens(pool: Pool, digests: readonly string[]): Promise<Map<string, AgentTokenOwner>> {
  const { rows } = await pool.query<{ id: string; agent_name: string; secret_sha256: Buffer }>({
    name: 'find-agent-tokens',
    text: 'SELECT id, agent_name, secret_sha256 FROM agent_tokens WHERE secret_sha256 = ANY($1)',
    values: [digests.map((digest) => Buffer.from(digest, 'hex'))],
  });
  return new Map(rows.map((row) => [row.secret_sha256.toString('hex'), { id: row.id, agentName: row.agent_name }]));
}
