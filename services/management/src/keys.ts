import { createHash, randomBytes, randomUUIDv7, timingSafeEqual } from 'node:crypto';
import type { AuditActor } from '@agp/core/audit';
import type { SecretPrefix, Team } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { type ConsoleSessionRow, type Db, type FoundApiKey, findApiKeys, keepBootstrapKey } from '@agp/db';
import { ConfigError, describeFailure, keepTrying, type Logger } from '@agp/runtime';
import { coalesce } from '@agp/runtime/fairness';
import { LRUCache } from 'lru-cache';
import { rememberedIds } from './limits.ts';

export interface Caller {
  /** Shares of connections and streams are counted by it: the key's UUID, or a text for a person. */
  holder: string;
  actor: Extract<AuditActor, { id: string }>;
  /** Hex digest of the key's secret (a rotated key has two for a while), or of a session's token. */
  secretSha256: string;
  scopes: ReadonlySet<string>;
  /** Whose view they have; null for the whole installation. */
  match: Team | null;
  session: ConsoleSessionRow | undefined;
}

export function toKeyCaller({ id, name, scopes, match, sha256 }: FoundApiKey, session?: ConsoleSessionRow): Caller {
  return {
    holder: id,
    actor: { kind: 'api_key', id: toPublicId('key', id), name },
    secretSha256: (session?.token_sha256 ?? sha256).toString('hex'),
    scopes: new Set(scopes),
    match,
    session,
  };
}

/** A holder goes by the id of its key, which is not secret, or of its session. */
export function describeCaller(caller: Caller | undefined): { keyId?: string; sessionId?: string } {
  if (caller === undefined) return {};
  if (caller.actor.kind === 'api_key') return { keyId: caller.actor.id };
  return caller.session === undefined ? {} : { sessionId: toPublicId('con', caller.session.id) };
}

export type FindKey = (secretSha256: Buffer) => Promise<FoundApiKey | undefined>;

/** Changes do not wait with reads, however many these are. */
export interface KeyFinders {
  forRead: FindKey;
  forChange: FindKey;
}

export function createKeyFinders(db: Db): KeyFinders {
  const makeFinder = (): FindKey => {
    const find = coalesce((digests: string[]) => findApiKeys(db, digests), { maxAsks: 100 });
    return async (digest) => {
      const key = await find(digest.toString('hex'));
      // The index compares in variable time, so its find is compared once more in constant time.
      return key !== undefined && timingSafeEqual(key.sha256, digest) ? key : undefined;
    };
  };
  return { forRead: makeFinder(), forChange: makeFinder() };
}

const precisionMs = 60_000;
/**
 * Records when keys or sessions were last used, at most once a minute for each and process, without requests waiting for it. After a
 * failure the next use tries again.
 */
export function noteUses(touch: (id: string, usedAt: Date) => Promise<void>): (id: string) => void {
  const noted = new LRUCache<string, true>({ max: rememberedIds, ttl: precisionMs });
  return (id) => {
    if (noted.has(id)) return;
    noted.set(id, true);
    touch(id, new Date()).catch(() => noted.delete(id));
  };
}

export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Makes the UUID, the secret (its prefix and 256 random bits) and the digest of what a prefix is of. */
export function issueSecret(prefix: SecretPrefix): { id: string; secret: string; secretSha256: Buffer } {
  const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { id: randomUUIDv7(), secret, secretSha256: digestSecret(secret) };
}

/**
 * Stores the configured key as soon as Postgres accepts it: it may be away, or not have its schema yet. Throws ConfigError if another key
 * has this secret.
 */
export async function waitForBootstrapKey(db: Db, secret: string, logger: Logger, signal?: AbortSignal): Promise<void> {
  const id = randomUUIDv7();
  let told = '';
  const isKept = await keepTrying(() => keepBootstrapKey(db, id, digestSecret(secret)), {
    ...(signal && { signal }),
    onFailure: (failure) => {
      const error = describeFailure(failure);
      if (error !== told) logger.warn({ error }, 'DATABASE_URL: the database cannot be used yet; it is tried again');
      told = error;
    },
  });
  if (isKept) return;
  throw new ConfigError('MANAGEMENT_API_KEY: is the secret of a key that was made through the API; it needs its own');
}
