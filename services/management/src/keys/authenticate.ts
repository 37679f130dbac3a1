import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '@agp/core/errors';
import { type Db, type FoundApiKey, findApiKeys } from '@agp/db';
import type { Throttle } from '@agp/reservations';
import { coalesce } from '@agp/runtime/fairness';
import type { RequestHandler } from 'express';
import { digestSecret } from './issue-secret.ts';
import { noteKeyUses } from './note-key-uses.ts';

/** The caller, and the scopes of its key. */
export interface Caller {
  /** UUID of the key. */
  keyId: string;
  keyName: string;
  /** Hex digest of the secret that was used: a rotated key has two for a while. */
  secretSha256: string;
  scopes: ReadonlySet<string>;
}

/**
 * Looks the bearer token up in Postgres on every request, together with those that wait at the same time; changes do not wait with reads,
 * however many these are. Failures count against the sender's address; a valid key is let through however often others failed from there.
 */
export function authenticate(db: Db, failures: Throttle): RequestHandler {
  const noteUse = noteKeyUses(db);
  const makeFinder = () => coalesce((digests: string[]) => findApiKeys(db, digests), { maxAsks: 100 });
  const [findForRead, findForChange] = [makeFinder(), makeFinder()];
  return async (request, response, next) => {
    const token = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const key =
      token === undefined
        ? undefined
        : await findKey(request.method === 'GET' || request.method === 'HEAD' ? findForRead : findForChange, token);
    if (key !== undefined) {
      const { id, name, scopes, sha256 } = key;
      response.locals.caller = {
        keyId: id,
        keyName: name,
        secretSha256: sha256.toString('hex'),
        scopes: new Set(scopes),
      } satisfies Caller;
      noteUse(id);
      next();
      return;
    }
    const { allowed, retryAfterSeconds } = await failures.consume(request.ip ?? 'unknown');
    if (!allowed) throw new ApiError('too_many_failures', { headers: { 'Retry-After': String(retryAfterSeconds) } });
    throw new ApiError('invalid_api_key');
  };
}

/** The index compares in variable time, so its find is compared once more in constant time. */
async function findKey(
  find: (digest: string) => Promise<FoundApiKey | undefined>,
  token: string,
): Promise<FoundApiKey | undefined> {
  const digest = digestSecret(token);
  const key = await find(digest.toString('hex'));
  return key !== undefined && timingSafeEqual(key.sha256, digest) ? key : undefined;
}

/** @throws ApiError where the caller's key does not allow this; `admin` allows everything */
export function requireScope(caller: Caller, scope: string): void {
  if (caller.scopes.has(scope) || caller.scopes.has('admin')) return;
  throw new ApiError('missing_scope', `API key lacks scope ${scope}`);
}
