import canonicalize from 'canonicalize';
import type { AuditAction } from './contracts/audit-action.ts';
import { hashLink, type LineageHead } from './lineage/chain.ts';

export * from './contracts/audit-action.ts';

/** A caller of the management API, the proxy that refused, or a service on its own; a person is named by the OpenID provider's id. */
export type AuditActor =
  | { kind: 'api_key' | 'person'; id: string; name: string }
  | { kind: 'proxy' }
  | { kind: 'system' };

/** Never with a secret, a token or a digest of one. */
export type AuditState = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  id: string;
  /** For refused requests the start of their minute. UTC, ISO 8601 with milliseconds and `Z`. */
  timestamp: string;
  actor: AuditActor;
  source_ip: string | null;
  action: AuditAction;
  agent_id: string | null;
  /** Id or name of what was changed; null if the action says it all. */
  target: string | null;
  before: AuditState | null;
  after: AuditState | null;
  count: number;
  reason?: string | null;
}

/**
 * The exact text that an entry's hash covers: RFC 8785 canonical JSON of the entry with its place and the version. Version 1 never gets
 * members; an entry with a reason is of version 2. Throws for a lone surrogate or an infinite number.
 */
function buildAuditPayload(entry: AuditEntry, seq: number): string {
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

export interface LinkedAuditEntry {
  entry: AuditEntry;
  seq: number;
  payload: string;
  lineageHash: string;
}

export function linkAudit(head: LineageHead, entries: readonly AuditEntry[]): LinkedAuditEntry[] {
  let previous = head.hash;
  return entries.map((entry, index) => {
    const seq = head.length + index;
    const payload = buildAuditPayload(entry, seq);
    previous = hashLink(previous, payload);
    return { entry, seq, payload, lineageHash: previous };
  });
}
