import canonicalize from 'canonicalize';
import type { AuditEntry } from './audit-entry.ts';

/**
 * The exact text that an entry's hash covers: RFC 8785 canonical JSON of the entry with its place and the version.
 * Members are never added to version 1; an entry with a reason is of version 2, which has that member besides.
 *
 * @throws Error for values that canonical JSON cannot express: a lone surrogate, an infinite number
 */
export function buildAuditPayload(entry: AuditEntry, seq: number): string {
  return canonicalize({
    v: entry.reason ? 2 : 1,
    seq,
    id: entry.id,
    timestamp: entry.timestamp,
    actor: entry.actor,
    source_ip: entry.source_ip,
    action: entry.action,
    agent_id: entry.agent_id,
    target: entry.target,
    before: entry.before,
    after: entry.after,
    count: entry.count,
    ...(entry.reason && { reason: entry.reason }),
  }) as string;
}
