import type { AuditActor } from '@agp/core/audit';
import { toPublicId } from '@agp/core/ids';
import type { ConsoleSessionRow, FoundApiKey } from '@agp/db';

/** Who calls, and what they may do. */
export interface Caller {
  /** Shares of connections and streams are counted by it: the key's UUID, or a text for a person. */
  holder: string;
  actor: Extract<AuditActor, { id: string }>;
  /** Hex digest of what was shown: of the key's secret (a rotated key has two for a while), or of a session's token. */
  secretSha256: string;
  scopes: ReadonlySet<string>;
  /** The session of the console that the call belongs to, if it does. */
  session: ConsoleSessionRow | undefined;
}

/** The holder of a key, who shows its secret or is signed in with it. */
export function toKeyCaller({ id, name, scopes, sha256 }: FoundApiKey, session?: ConsoleSessionRow): Caller {
  return {
    holder: id,
    actor: { kind: 'api_key', id: toPublicId('key', id), name },
    secretSha256: (session?.token_sha256 ?? sha256).toString('hex'),
    scopes: new Set(scopes),
    session,
  };
}

/** How the log names a caller: by the id of its key, which is not secret, or of its session. */
export function describeCaller(caller: Caller | undefined): { keyId?: string; sessionId?: string } {
  if (caller === undefined) return {};
  if (caller.actor.kind === 'api_key') return { keyId: caller.actor.id };
  return caller.session === undefined ? {} : { sessionId: toPublicId('con', caller.session.id) };
}
