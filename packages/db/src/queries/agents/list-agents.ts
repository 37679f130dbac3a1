import type { Db } from '../../database.ts';
import { type PageRange, readPages } from '../events/read-pages.ts';
import { type AgentRow, agentColumns } from './agent-columns.ts';

/** Agents in pages, oldest first, ties by id; all, or those of one status. */
export function listAgents(
  db: Db,
  filter: { status?: AgentRow['status'] | undefined },
  range: PageRange,
): AsyncGenerator<AgentRow[]> {
  return readPages<AgentRow>(range, ({ after, limit, offset }) => {
    let query = db
      .selectFrom('agents')
      .select(agentColumns)
      .orderBy('agents.created_at')
      .orderBy('agents.id')
      .limit(limit)
      .offset(offset);
    if (filter.status !== undefined) query = query.where('agents.status', '=', filter.status);
    if (after !== undefined) {
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('agents.created_at', 'agents.id'), '>', tuple(after.created_at, after.id)),
      );
    }
    return query.execute();
  });
}
