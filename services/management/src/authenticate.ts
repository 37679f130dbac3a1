import { ApiError } from '@agp/core/errors';
import { type Db, touchApiKey, touchConsoleSession } from '@agp/db';
import type { Throttle } from '@agp/reservations';
import { toNetwork, toPlainAddress } from '@agp/runtime';
import type { Request, RequestHandler } from 'express';
import type { FindSession } from './console/sessions.ts';
import { showsSession } from './console/sign-ins.ts';
import { type Caller, digestSecret, type KeyFinders, noteUses, toKeyCaller } from './keys.ts';

interface AuthenticationParts {
  db: Db;
  keys: KeyFinders;
  findSession: FindSession;
  failures: Throttle;
}

/**
 * Looks the bearer token or the console's session up in Postgres on every request. Failures count against the sender's network; a valid key
 * or session is let through however often others failed from there.
 */
export function authenticate({ db, keys, findSession, failures }: AuthenticationParts): RequestHandler {
  const noteKeyUse = noteUses((id, usedAt) => touchApiKey(db, id, usedAt));
  const noteSessionUse = noteUses((id, usedAt) => touchConsoleSession(db, id, usedAt));
  const findKeyCaller = async (request: Request): Promise<Caller | undefined> => {
    const token = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const key = await (isRead ? keys.forRead : keys.forChange)(digestSecret(token));
    return key && toKeyCaller(key);
  };
  return async (request, response, next) => {
    const isSession = showsSession(request);
    const caller = await (isSession ? findSession(request) : findKeyCaller(request));
    if (caller === undefined) {
      await refuseAfterFailure(failures, request);
      throw new ApiError(isSession ? 'session_ended' : 'invalid_api_key');
    }
    response.locals.caller = caller;
    if (caller.actor.kind === 'api_key') noteKeyUse(caller.holder);
    if (caller.session !== undefined) noteSessionUse(caller.session.id);
    next();
  };
}

/** What one machine cannot vary of its address. */
export const networkOf = ({ ip }: Request) => toNetwork(toPlainAddress(ip) ?? 'unknown');

export async function refuseAfterFailure(failures: Throttle, request: Request): Promise<void> {
  const { allowed, retryAfterSeconds } = await failures.consume(networkOf(request));
  if (!allowed) throw new ApiError('too_many_failures', { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

/** @throws ApiError if the caller's key does not allow this; `admin` allows everything */
export function requireScope(caller: Caller, scope: string): void {
  if (caller.scopes.has(scope) || caller.scopes.has('admin')) return;
  throw new ApiError('missing_scope', `API key lacks scope ${scope}`);
}
