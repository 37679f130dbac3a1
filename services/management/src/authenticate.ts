import { ApiError } from '@agp/core/errors';
import { type Db, findApiKey } from '@agp/db';
import type { Throttle } from '@agp/reservations';
import type { RequestHandler } from 'express';
import { digestSecret } from './issue-secret.ts';

/** Who asks: the key's UUID, and what it allows. */
export interface Caller {
  keyId: string;
  scopes: ReadonlySet<string>;
}

/**
 * Looks the bearer token up in Postgres, on every request. What is no valid key counts against the sender's
 * address, and only that: a valid key is let through however often others failed from there.
 */
export function authenticate(db: Db, failures: Throttle): RequestHandler {
  return async (request, response, next) => {
    const token = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const key = token === undefined ? undefined : await findApiKey(db, digestSecret(token));
    if (key !== undefined) {
      response.locals.caller = { keyId: key.id, scopes: new Set(key.scopes) } satisfies Caller;
      next();
      return;
    }
    const { allowed, retryAfterSeconds } = await failures.consume(request.ip ?? 'unknown');
    if (!allowed) throw new ApiError('too_many_failures', undefined, { 'Retry-After': String(retryAfterSeconds) });
    throw new ApiError('invalid_api_key', undefined, { 'WWW-Authenticate': 'Bearer' });
  };
}

/** @throws ApiError where the caller's key does not allow this; `admin` allows everything */
export function requireScope(caller: Caller, scope: string): void {
  if (caller.scopes.has(scope) || caller.scopes.has('admin')) return;
  throw new ApiError('missing_scope', `API key lacks scope ${scope}`);
}
