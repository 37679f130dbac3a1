import type { Db } from '../../database.ts';
import { type AgentTokenRow, agentTokenColumns } from './create-agent-token.ts';

/** Revokes a token: the next request with it is refused by every proxy. Its name stays claimed. Undefined for an unknown id. */
export function deleteAgentToken(db: Db, id: string): Promise<AgentTokenRow | undefined> {
  return db.deleteFrom('agent_tokens').where('id', '=', id).returning(agentTokenColumns).executeTakeFirst();
}
