import type { Session } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { SessionRow } from '@agp/db';

/** A session as the API shows it (interface.md section 2.3). */
export function presentSession(row: SessionRow): Session {
  return {
    id: row.id,
    agent_id: toPublicId('agt', row.agent_id),
    agent_name: row.agent_name,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at.toISOString(),
    duration_ms: row.ended_at.getTime() - row.started_at.getTime(),
    event_count: row.event_count,
    total_tokens: row.total_tokens,
    total_cost_usd: row.total_cost_usd,
    compliance_tag: row.compliance_tag,
    pii_detected: row.pii_detected,
  };
}
