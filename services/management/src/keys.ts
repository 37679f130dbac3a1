import { createHash, randomBytes, randomUUIDv7, timingSafeEqual } from 'node:crypto';
import type { AuditActor } from '@agp/core/audit';
import { toPublicId } from '@agp/core/ids';
import { type ConsoleSessionRow, type Db, type FoundApiKey, findApiKeys, keepBootstrapKey } from '@agp/db';
import { ConfigError, describeFailure, keepTrying, type Logger } from '@agp/runtime';
import { coalesce } from '@agp/runtime/fairness';
import { LRUCache } from 'lru-cache';

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

/** Finds a key by the digest of its secret; undefined where no such secret works at this moment. */
export type FindKey = (secretSha256: Buffer) => Promise<FoundApiKey | undefined>;

/** One way for reads and one for changes: changes do not wait with reads, however many these are. */
export interface KeyFinders {
  forRead: FindKey;
  forChange: FindKey;
}

/** Looks keys up in Postgres on every request, together with those that wait at the same time. */
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
const rememberedIds = 10_000;

/**
 * Records when keys or sessions were last used, at most once a minute for each and process, without requests waiting for it. After a
 * failure the next use tries again.
 *
 * @param touch stores a use
 */
export function noteUses(touch: (id: string, usedAt: Date) => Promise<void>): (id: string) => void {
  const noted = new LRUCache<string, true>({ max: rememberedIds, ttl: precisionMs });
  return (id) => {
    if (noted.has(id)) return;
    noted.set(id, true);
    touch(id, new Date()).catch(() => noted.delete(id));
  };
}

/** The digest that is stored in place of a secret. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * Makes the UUID, the secret (its prefix and 256 random bits) and the digest of a new API key, agent token or one-time code.
 *
 * @param prefix `agm_` opens this API, `agp_` is an agent's at the proxy, `agl_` signs in to the console once
 */
export function issueSecret(prefix: 'agm_' | 'agp_' | 'agl_'): { id: string; secret: string; secretSha256: Buffer } {
  const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { id: randomUUIDv7(), secret, secretSha256: digestSecret(secret) };
}

/**
 * Stores the configured key as soon as Postgres accepts it: it may be away, or not have its schema yet. Each reason is logged once.
 *
 * @throws ConfigError where another key has this secret
 */
export async function waitForBootstrapKey(db: Db, secret: string, logger: Logger): Promise<void> {
  const id = randomUUIDv7();
  let told = '';
  const isKept = await keepTrying(() => keepBootstrapKey(db, id, digestSecret(secret)), {
    onFailure: (failure) => {
      const error = describeFailure(failure);
      if (error !== told) logger.warn({ error }, 'DATABASE_URL: the database cannot be used yet; it is tried again');
      told = error;
    },
  });
  if (isKept) return;
  throw new ConfigError('MANAGEMENT_API_KEY: is the secret of a key that was made through the API; it needs its own');
}
