import { roleOfScopes, signInSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { type FoundApiKey, findConsoleCodes, takeConsoleCode } from '@agp/db';
import type { Throttle } from '@agp/reservations';
import { coalesce } from '@agp/runtime/fairness';
import { type Request, type Response, Router } from 'express';
import { refuseAfterFailure } from '../authenticate.ts';
import type { ManagementConfig } from '../config.ts';
import {
  beginSession,
  createSessionFinder,
  endSession,
  type FindSession,
  presentSession,
} from '../console/sessions.ts';
import {
  clearSessionCookie,
  findSignInPlace,
  isFromOwnPage,
  type SignInPlace,
  type SignIns,
  setSessionCookie,
} from '../console/sign-ins.ts';
import { createKeyFinders, digestSecret, type FindKey, toKeyCaller } from '../keys.ts';
import { maxBodyBytes } from '../limits.ts';
import { parseInput, readJsonBodyUpTo } from '../requests.ts';

export interface ConsoleParts {
  config: ManagementConfig;
  signIns: SignIns;
  /** The key of a one-time code that was not used yet. */
  findKeyOfCode: FindKey;
  findKey: FindKey;
  findSession: FindSession;
  failures: Throttle;
}

export function openConsoleParts(
  { config, signIns }: { config: ManagementConfig; signIns: SignIns },
  failures: Throttle,
): ConsoleParts {
  const keys = createKeyFinders(signIns.db);
  const findCode = coalesce((digests: string[]) => findConsoleCodes(signIns.db, digests), { maxAsks: 100 });
  const findKeyOfCode: FindKey = async (codeSha256) => {
    const keySha256 = await findCode(codeSha256.toString('hex'));
    return keySha256 && keys.forChange(keySha256);
  };
  const findSession = createSessionFinder(signIns.db, keys, config);
  return { config, signIns, findKeyOfCode, findKey: keys.forChange, findSession, failures };
}

/** @throws ApiError if no browser may be signed in here, or the request is not from our own page */
export function requireOwnPage(request: Request, { consoleOrigin }: ManagementConfig): SignInPlace {
  const place = findSignInPlace(request, consoleOrigin);
  if (place === null) throw new ApiError('sign_in_not_here');
  if (!isFromOwnPage(request, place)) throw new ApiError('cross_site_request');
  return place;
}

/** A code is used up, unless its key has signed in too often. */
async function takeKey(
  { findKey, findKeyOfCode, signIns }: ConsoleParts,
  body: { api_key: string } | { code: string },
): Promise<FoundApiKey | undefined> {
  const isCode = 'code' in body;
  const digest = digestSecret(isCode ? body.code : body.api_key);
  const key = await (isCode ? findKeyOfCode : findKey)(digest);
  if (key === undefined) return undefined;
  await signIns.admit(key.id);
  return !isCode || (await takeConsoleCode(signIns.db, digest)) ? key : undefined;
}

export function createSessionRouter(parts: ConsoleParts): Router {
  const { config, signIns, findSession, failures } = parts;
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/session', async (request: Request, response: Response) => {
    response.locals.route = '/console/session';
    response.json(presentSession(await findSession(request), config));
  });

  router.post('/session', readJsonBodyUpTo(maxBodyBytes.signIn), async (request: Request, response: Response) => {
    response.locals.route = '/console/session';
    const place = requireOwnPage(request, config);
    const body = parseInput(signInSchema, request.body, 'body');
    const key = await takeKey(parts, body);
    if (key === undefined) {
      await refuseAfterFailure(failures, request);
      throw new ApiError('invalid_api_key');
    }
    const { token, session } = await beginSession(signIns.db, request, {
      owner: { keySha256: key.sha256 },
      actor: toKeyCaller(key).actor,
      role: roleOfScopes(key.scopes),
      method: 'code' in body ? 'link' : 'api_key',
      before: await findSession(request),
    });
    setSessionCookie(response, token, place);
    response.json(presentSession(toKeyCaller(key, session), config));
  });

  router.delete('/session', async (request: Request, response: Response) => {
    response.locals.route = '/console/session';
    const place = requireOwnPage(request, config);
    const caller = await findSession(request);
    if (caller !== undefined) await endSession(signIns.db, request, caller);
    clearSessionCookie(response, place);
    response.status(204).end();
  });
  return router;
}
