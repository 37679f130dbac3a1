import type { AuditAction } from './audit-action.ts';

/** Who did it: a caller of the management API, the proxy that refused, or a service by itself. */
export type AuditActor = { kind: 'api_key'; id: string; name: string } | { kind: 'proxy' } | { kind: 'system' };

/** What may stand in an entry: JSON, with times as dates. Never a secret, a token or a digest of one. */
export type AuditState = Readonly<Record<string, unknown>>;

/** One entry of the audit log, before it has its place in the chain. All ids are public ones. */
export interface AuditEntry {
  /** `aud_...` */
  id: string;
  /** When it happened; for refused requests the start of their minute. UTC, ISO 8601 with milliseconds and `Z`. */
  timestamp: string;
  actor: AuditActor;
  /** Address that the call, or the latest refused request, came from; null where there was none. */
  source_ip: string | null;
  action: AuditAction;
  /** The agent that it is about, if it is about one. */
  agent_id: string | null;
  /** What was changed: an id, a name, or null where the action says it all. */
  target: string | null;
  /** Null where there was nothing before, or nothing is left after. */
  before: AuditState | null;
  after: AuditState | null;
  /** How many requests were refused; 1 for a change. */
  count: number;
}
