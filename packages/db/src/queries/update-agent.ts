import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { type AgentRow, agentColumns } from './agent-columns.ts';

export interface AgentChange {
  status?: AgentRow['status'] | undefined;
  /** Replaces the old object. */
  metadata?: Record<string, unknown> | undefined;
}

/**
 * Changes an agent, committed when this resolves: a request that is admitted later sees it. `updated_at` grows by
 * at least a millisecond, whatever the clock says.
 */
export function updateAgent(db: Db, id: string, change: AgentChange): Promise<AgentRow | undefined> {
  return db
    .updateTable('agents')
    .set({
      ...(change.status !== undefined && { status: change.status }),
      ...(change.metadata !== undefined && { metadata: JSON.stringify(change.metadata) }),
      updated_at: sql<Date>`greatest(clock_timestamp(), agents.updated_at + interval '1 millisecond')`,
    })
    .where('agents.id', '=', id)
    .returning(agentColumns)
    .executeTakeFirst();
}
