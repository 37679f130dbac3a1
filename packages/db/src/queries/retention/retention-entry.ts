import type { AuditState } from '@agp/core/audit';
import type { NewAuditEntry } from '../audit/append-audit.ts';

/** The audit log's entry of a removal; where events were removed, it commits to the anchors that were kept. */
export function retentionEntry(target: string, before: AuditState): NewAuditEntry {
  return {
    actor: { kind: 'system' },
    source_ip: null,
    action: 'events.retention',
    agent_id: null,
    target,
    before,
    after: null,
    count: 1,
  };
}
