import type { Db } from '../../database.ts';
import { readPages } from '../events/read-pages.ts';
import { type AgentTokenRow, agentTokenColumns } from './create-agent-token.ts';

/** Agent tokens in pages, expired ones too, oldest first, ties by id. */
export function listAgentTokens(db: Db): AsyncGenerator<AgentTokenRow[]> {
  return readPages<AgentTokenRow>({ offset: 0 }, ({ after, limit }) => {
    let query = db
      .selectFrom('agent_tokens')
      .select(agentTokenColumns)
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit);
    if (after !== undefined) {
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '>', tuple(after.created_at, after.id)),
      );
    }
    return query.execute();
  });
}
