import type { AuditAction } from './audit-action.ts';

/**
 * The actor: a caller of the management API, the proxy that refused, or a service on its own. A person is one whom an OpenID provider
 * knows, by the id that it gives them.
 */
export type AuditActor =
  | { kind: 'api_key' | 'person'; id: string; name: string }
  | { kind: 'proxy' }
  | { kind: 'system' };

/** A changed thing as an entry shows it. Never with a secret, a token or a digest of one. */
export type AuditState = Readonly<Record<string, unknown>>;

/** One entry of the audit log, before it has its place in the chain. All ids are public ones. */
export interface AuditEntry {
  /** `aud_...` */
  id: string;
  /** When it happened; for refused requests the start of their minute. UTC, ISO 8601 with milliseconds and `Z`. */
  timestamp: string;
  actor: AuditActor;
  /** Address of the call, or of the latest refused request; null where there was none. */
  source_ip: string | null;
  action: AuditAction;
  /** The agent that the entry is about, if any. */
  agent_id: string | null;
  /** Id or name of what was changed; null where the action says it all. */
  target: string | null;
  /** Null where there was nothing before, or nothing is left after. */
  before: AuditState | null;
  after: AuditState | null;
  /** How many requests were refused; 1 for a change. */
  count: number;
  /** Why the caller made the change; null or absent where none was given. */
  reason?: string | null;
}
