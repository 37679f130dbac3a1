import type { Agent } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { AgentRow } from '@agp/db';

/** An agent as the API shows it (interface.md section 2.1). */
export function presentAgent(row: AgentRow): Agent {
  return {
    id: toPublicId('agt', row.id),
    name: row.name,
    source_ip: row.source_ip,
    status: row.status,
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
