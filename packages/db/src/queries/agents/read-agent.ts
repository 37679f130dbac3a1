import type { Db } from '../../database.ts';
import { type AgentRow, agentColumns } from './agent-columns.ts';

/** One agent by its UUID. */
export function readAgent(db: Db, id: string): Promise<AgentRow | undefined> {
  return db.selectFrom('agents').select(agentColumns).where('agents.id', '=', id).executeTakeFirst();
}

export async function agentExists(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('agents').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}
