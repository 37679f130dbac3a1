import type { AgentToken } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import { inTransaction, type RowOf } from '../statements.ts';
import { readOldestFirst } from './pages.ts';

type AgentTokenRow = RowOf<AgentToken, 'created_at' | 'expires_at'>;

const agentTokenColumns = ['id', 'agent_name', 'created_at', 'expires_at'] as const;

interface NewAgentToken {
  id: string;
  agentName: string;
  secretSha256: Buffer;
  expiresAt: Date | null;
}

/** Stores a token with the digest of its secret only; from the same moment on its name is claimed. */
export function createAgentToken(db: Db, token: NewAgentToken): Promise<AgentTokenRow> {
  return inTransaction(db, async (transaction) => {
    // An update that changes nothing locks the row: a release of the name waits, and then sees the token.
    await transaction
      .insertInto('claimed_names')
      .values({ name: token.agentName })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ name: sql`excluded.name` }))
      .execute();
    const { id, agentName: agent_name, secretSha256: secret_sha256, expiresAt: expires_at } = token;
    return transaction
      .insertInto('agent_tokens')
      .values({ id, agent_name, secret_sha256, expires_at })
      .returning(agentTokenColumns)
      .executeTakeFirstOrThrow();
  });
}

export function deleteAgentToken(db: Db, id: string): Promise<AgentTokenRow | undefined> {
  return db.deleteFrom('agent_tokens').where('id', '=', id).returning(agentTokenColumns).executeTakeFirst();
}

/** The owner of a token. It never changes, so it may be cached; whether the token still works must not be. */
export interface AgentTokenOwner {
  /** UUID of the token. */
  id: string;
  agentName: string;
}

/** Finds tokens by digests in hex, expired ones included. Revoked and unknown ones are missing. */
export async function findAgentTokens(pool: Pool, digests: readonly string[]): Promise<Map<string, AgentTokenOwner>> {
  const { rows } = await pool.query<{ id: string; agent_name: string; secret_sha256: Buffer }>({
    name: 'find-agent-tokens',
    text: 'SELECT id, agent_name, secret_sha256 FROM agent_tokens WHERE secret_sha256 = ANY($1)',
    values: [digests.map((digest) => Buffer.from(digest, 'hex'))],
  });
  return new Map(rows.map((row) => [row.secret_sha256.toString('hex'), { id: row.id, agentName: row.agent_name }]));
}

export function listAgentTokens(db: Db): AsyncGenerator<AgentTokenRow[]> {
  return readOldestFirst({ offset: 0 }, db.selectFrom('agent_tokens').select(agentTokenColumns));
}
