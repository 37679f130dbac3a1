import { roleOfScopes, signInSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { type FoundApiKey, takeConsoleCode } from '@agp/db';
import { type Request, type Response, Router } from 'express';
import type { ManagementConfig } from '../config.ts';
import { type AuthenticationParts, refuseAfterFailure } from '../keys/authenticate.ts';
import { toKeyCaller } from '../keys/caller.ts';
import type { KeyFinders } from '../keys/find-keys.ts';
import { digestSecret } from '../keys/issue-secret.ts';
import { parseInput } from '../requests/parse-input.ts';
import { readJsonBodyUpTo } from '../requests/read-json-body.ts';
import { beginSession, endSession } from './begin-session.ts';
import { presentSession } from './present-session.ts';
import { clearSessionCookie, readHalf, setSessionCookie } from './session-cookie.ts';
import { findSignInPlace, isFromOwnPage, type SignInPlace } from './sign-in-place.ts';

export interface ConsoleParts extends AuthenticationParts {
  config: ManagementConfig;
}

/** Anybody may send one. */
const maxBodyBytes = 4_096;

/** @throws ApiError where no browser may be signed in here, or the request is not from our own page */
export function requireOwnPage(request: Request, { consoleOrigin }: ManagementConfig): SignInPlace {
  const place = findSignInPlace(request, consoleOrigin);
  if (place === null) throw new ApiError('sign_in_not_here');
  if (!isFromOwnPage(request, place)) throw new ApiError('cross_site_request');
  return place;
}

async function findKey(
  { db, keys }: { db: AuthenticationParts['db']; keys: KeyFinders },
  body: { api_key: string } | { code: string },
): Promise<FoundApiKey | undefined> {
  if ('api_key' in body) return keys.forChange(digestSecret(body.api_key));
  const digest = await takeConsoleCode(db, digestSecret(body.code));
  return digest && keys.forChange(digest);
}

/** @throws ApiError where a sign-in does not name the page's half */
export function requireHalf(request: Request): string {
  const half = readHalf(request);
  if (half === undefined) throw new ApiError('invalid_parameter', 'X-Agp-Console: must be 43 characters of base64url');
  return half;
}

/** Who is signed in, signing in with a key or a one-time code, and signing out. */
export function createSessionRouter(parts: ConsoleParts): Router {
  const { db, config, findSession, failures } = parts;
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/session', async (request: Request, response: Response) => {
    response.locals.route = '/console/session';
    response.json(presentSession(await findSession(request), config));
  });

  router.post('/session', readJsonBodyUpTo(maxBodyBytes), async (request: Request, response: Response) => {
    response.locals.route = '/console/session';
    const place = requireOwnPage(request, config);
    const half = requireHalf(request);
    const body = parseInput(signInSchema, request.body, 'body');
    const key = await findKey(parts, body);
    if (key === undefined) {
      await refuseAfterFailure(failures, request);
      throw new ApiError('invalid_api_key');
    }
    const { token, session } = await beginSession(db, request, {
      owner: { keySha256: key.sha256 },
      actor: toKeyCaller(key).actor,
      role: roleOfScopes(key.scopes),
      method: 'code' in body ? 'link' : 'api_key',
      halfSha256: digestSecret(half),
      before: await findSession(request),
    });
    setSessionCookie(response, token, place);
    response.json(presentSession(toKeyCaller(key, session), config));
  });

  router.delete('/session', async (request: Request, response: Response) => {
    response.locals.route = '/console/session';
    const place = requireOwnPage(request, config);
    const caller = await findSession(request);
    if (caller !== undefined) await endSession(db, request, caller);
    clearSessionCookie(response, place);
    response.status(204).end();
  });
  return router;
}
