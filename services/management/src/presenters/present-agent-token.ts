import type { AgentToken } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { AgentTokenRow } from '@agp/db';

/** A token without its secret. */
export function presentAgentToken(row: AgentTokenRow): AgentToken {
  return {
    id: toPublicId('tok', row.id),
    agent_name: row.agent_name,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
