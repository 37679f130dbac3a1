import type { AuditEntry } from '@agp/core/audit';
import { toPublicId } from '@agp/core/ids';
import { sql } from 'kysely';

/** Refused requests of a minute as the log shows them: of one agent and reason, or all that belong to no agent. */
export interface RefusalRow {
  minute: Date;
  agent_id: string | null;
  reasons: Record<string, number>;
  count: number;
  source_ip: string;
}

const shownReason = sql`CASE WHEN agent_id IS NOT NULL THEN reason END`;

export const refusalColumns = sql`
  minute, agent_id, jsonb_object_agg(reason, count) AS reasons, sum(count)::bigint AS count,
  (array_agg(source_ip ORDER BY refused_at DESC))[1] AS source_ip`;

export const refusalGroup = sql`minute, agent_id, ${shownReason}`;

export function toRefusalEntry(row: RefusalRow): Omit<AuditEntry, 'id'> {
  return {
    timestamp: row.minute.toISOString(),
    actor: { kind: 'proxy' },
    source_ip: row.source_ip,
    action: 'request.refused',
    agent_id: row.agent_id && toPublicId('agt', row.agent_id),
    target: null,
    before: null,
    after: { reasons: row.reasons },
    count: row.count,
  };
}
