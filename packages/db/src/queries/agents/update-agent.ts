import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { inTransaction } from '../../in-transaction.ts';
import { type AgentRow, agentColumns } from './agent-columns.ts';

export interface AgentChange {
  status?: AgentRow['status'] | undefined;
  /** Replaces the old object. */
  metadata?: Record<string, unknown> | undefined;
}

/**
 * Changes an agent, for requests that are admitted after the commit. `updated_at` grows by at least a millisecond, whatever the clock
 * says.
 *
 * @returns undefined for an unknown agent
 */
export function updateAgent(
  db: Db,
  id: string,
  change: AgentChange,
): Promise<{ before: Pick<AgentRow, 'status' | 'metadata'>; after: AgentRow } | undefined> {
  return inTransaction(db, async (transaction) => {
    // The weaker lock is enough, since the row's key does not change.
    const before = await transaction
      .selectFrom('agents')
      .select(['status', 'metadata'])
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (before === undefined) return undefined;
    const after = await transaction
      .updateTable('agents')
      .set({
        ...(change.status !== undefined && { status: change.status }),
        ...(change.metadata !== undefined && { metadata: JSON.stringify(change.metadata) }),
        updated_at: sql<Date>`greatest(clock_timestamp(), agents.updated_at + interval '1 millisecond')`,
      })
      .where('agents.id', '=', id)
      .returning(agentColumns)
      .executeTakeFirstOrThrow();
    return { before, after };
  });
}
