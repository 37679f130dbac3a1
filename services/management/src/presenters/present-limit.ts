import type { AgentLimit } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { AgentLimitsRow } from '@agp/db';

/** The limit of one agent. */
export function presentAgentLimit(row: AgentLimitsRow): AgentLimit {
  return { agent_id: toPublicId('agt', row.id), agent_name: row.name, requests_per_minute: row.requests_per_minute };
}
