import type { Db } from '../../database.ts';
import { readOldestFirst } from '../pages/read-oldest-first.ts';
import type { PageRange } from '../pages/read-pages.ts';
import { type AgentRow, agentColumns } from './agent-columns.ts';

/** All agents in pages, oldest first, or those of one status. */
export function listAgents(
  db: Db,
  { status }: { status?: AgentRow['status'] | undefined },
  range: PageRange,
): AsyncGenerator<AgentRow[]> {
  const query = db.selectFrom('agents').select(agentColumns);
  return readOldestFirst(range, status === undefined ? query : query.where('agents.status', '=', status));
}
