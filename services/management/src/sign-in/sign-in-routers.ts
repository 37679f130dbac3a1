import { providerSignInSchema, roleOfScopes, signInSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { appendAudit, type Db, type FoundApiKey, findConsoleCodes, takeConsoleCode } from '@agp/db';
import type { Throttle } from '@agp/reservations';
import { type Logger, toPlainAddress } from '@agp/runtime';
import { coalesce } from '@agp/runtime/fairness';
import { findGrant, grantsByName, type ManagementConfig } from '@agp/settings';
import { type Request, type Response, Router } from 'express';
import { networkOf, refuseAfterFailure } from '../authenticate.ts';
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
import { isDenied, OidcClient, type Person } from '../oidc/oidc-client.ts';
import { parseInput, readJsonBodyUpTo } from '../requests.ts';

interface ConsoleParts {
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
function requireOwnPage(request: Request, { consoleOrigin }: ManagementConfig): SignInPlace {
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
      match: key.match,
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

function noteRefusal(db: Db, request: Request, { issuer, subject, name }: Person): Promise<void> {
  return db.transaction().execute((transaction) =>
    appendAudit(transaction, [
      {
        actor: { kind: 'person', id: subject, name },
        source_ip: toPlainAddress(request.ip),
        action: 'console.refused',
        agent_id: null,
        target: null,
        before: null,
        after: { method: 'oidc', issuer, reason: 'no_role' },
        count: 1,
      },
    ]),
  );
}

/**
 * Cookies reach every port of a host, so none takes part: what was begun, and the code that ends it, are known to the page alone, which
 * keeps them by its origin.
 */
export function createOidcRouter(parts: ConsoleParts & { logger: Logger }): Router {
  const { config, signIns, failures, findSession, logger } = parts;
  const router = Router({ caseSensitive: true, strict: true });
  if (config.oidcIssuer === undefined) return router;
  const provider = new OidcClient(config);
  const grants = config.oidcRoles ?? grantsByName;

  /** The provider sends browsers back to CONSOLE_ORIGIN alone. */
  function requirePage(request: Request): SignInPlace {
    const place = requireOwnPage(request, config);
    if (!place.hasOrigin(config.consoleOrigin ?? '')) throw new ApiError('sign_in_not_here');
    return place;
  }

  router.post('/start', async (request: Request, response: Response) => {
    response.locals.route = '/console/oidc/start';
    requirePage(request);
    try {
      response.json(await provider.begin());
    } catch (error) {
      logger.warn({ error: describeFault(error) }, 'the OpenID provider cannot be used');
      throw new ApiError('sign_in_failed');
    }
  });

  router.get('/callback', (request: Request, response: Response) => {
    response.locals.route = '/console/oidc/callback';
    const at = request.originalUrl.indexOf('?');
    const answer = at === -1 ? '' : request.originalUrl.slice(at + 1);
    // After #: only the page of this very origin sees it.
    response.redirect(302, `/sign-in#answer=${encodeURIComponent(answer)}`);
  });

  router.post(
    '/session',
    readJsonBodyUpTo(maxBodyBytes.providerSignIn),
    async (request: Request, response: Response) => {
      response.locals.route = '/console/oidc/session';
      const place = requirePage(request);
      const { answer, ...begun } = parseInput(providerSignInSchema, request.body, 'body');
      let person: Person;
      try {
        await signIns.admit(`network ${networkOf(request)}`);
        person = await provider.finish(`?${answer}`, begun);
      } catch (error) {
        if (error instanceof ApiError) throw error;
        await refuseAfterFailure(failures, request);
        logger.warn({ error: describeFault(error) }, 'signing in with the OpenID provider failed');
        throw new ApiError(isDenied(error) ? 'sign_in_denied' : 'sign_in_failed');
      }
      const holder = `${person.issuer} ${person.subject}`;
      await signIns.admit(holder);
      const { db } = signIns;
      const grant = findGrant(person.claims, config.oidcRoleClaim, grants);
      if (grant === null) {
        await refuseAfterFailure(failures, request);
        await noteRefusal(db, request, person);
        throw new ApiError('no_role');
      }
      const { token } = await beginSession(db, request, {
        owner: { issuer: person.issuer, subject: person.subject },
        actor: { kind: 'person', id: person.subject, name: person.name },
        role: grant.role,
        match: grant.match,
        method: 'oidc',
        before: await findSession(request),
      });
      setSessionCookie(response, token, place);
      response.status(204).end();
    },
  );
  return router;
}

const describeFault = (error: unknown) =>
  error instanceof Error ? { name: error.name, code: (error as { code?: unknown }).code } : { name: typeof error };
