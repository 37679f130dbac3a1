import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { inTransaction } from '../../in-transaction.ts';

export interface AgentTokenRow {
  id: string;
  agent_name: string;
  created_at: Date;
  expires_at: Date | null;
}

export const agentTokenColumns = ['id', 'agent_name', 'created_at', 'expires_at'] as const;

export interface NewAgentToken {
  /** UUID */
  id: string;
  agentName: string;
  secretSha256: Buffer;
  expiresAt: Date | null;
}

/** Stores a token; of its secret only the digest. Its name is claimed from the same moment on. */
export function createAgentToken(db: Db, token: NewAgentToken): Promise<AgentTokenRow> {
  return inTransaction(db, async (transaction) => {
    // An update that changes nothing locks the row: a release of the name waits, and then sees the token.
    await transaction
      .insertInto('claimed_names')
      .values({ name: token.agentName })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ name: sql`excluded.name` }))
      .execute();
    return transaction
      .insertInto('agent_tokens')
      .values({
        id: token.id,
        agent_name: token.agentName,
        secret_sha256: token.secretSha256,
        expires_at: token.expiresAt,
      })
      .returning(agentTokenColumns)
      .executeTakeFirstOrThrow();
  });
}
