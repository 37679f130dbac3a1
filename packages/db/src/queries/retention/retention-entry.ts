import type { AuditState } from '@agp/core/audit';
import type { NewAuditEntry } from '../audit/append-audit.ts';

/** What the audit log says of a removal: of events, it commits to the anchors that were kept in their place. */
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
