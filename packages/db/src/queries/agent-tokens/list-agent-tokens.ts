import type { Db } from '../../database.ts';
import { readOldestFirst } from '../pages/read-oldest-first.ts';
import { type AgentTokenRow, agentTokenColumns } from './create-agent-token.ts';

/** All agent tokens in pages, oldest first, expired ones included. */
export function listAgentTokens(db: Db): AsyncGenerator<AgentTokenRow[]> {
  return readOldestFirst({ offset: 0 }, db.selectFrom('agent_tokens').select(agentTokenColumns));
}
