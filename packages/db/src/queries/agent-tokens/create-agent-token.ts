import type { AgentToken } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { inTransaction } from '../../in-transaction.ts';
import type { RowOf } from '../../row-of.ts';

export type AgentTokenRow = RowOf<AgentToken, 'created_at' | 'expires_at'>;

export const agentTokenColumns = ['id', 'agent_name', 'created_at', 'expires_at'] as const;

export interface NewAgentToken {
  /** UUID */
  id: string;
  agentName: string;
  secretSha256: Buffer;
  expiresAt: Date | null;
}

/** Stores a token, with the digest of its secret only. From the same moment on its name is claimed. */
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
