import { ApiError } from '@agp/core/errors';
import { appendAudit, type Db } from '@agp/db';
import { type Logger, toPlainAddress } from '@agp/runtime';
import { type Request, type Response, Router } from 'express';
import { beginSession } from '../console/begin-session.ts';
import { isPagePath } from '../console/console-files.ts';
import { setSessionCookie } from '../console/session-cookie.ts';
import type { ConsoleParts } from '../console/session-router.ts';
import { findSignInPlace, type SignInPlace } from '../console/sign-in-place.ts';
import { refuseAfterFailure } from '../keys/authenticate.ts';
import { isDenied, OidcClient, type Person } from './oidc-client.ts';
import { forgetFlow, keepFlow, readFlow, toReturnPath } from './oidc-flow.ts';
import { parseRoles, readRole } from './read-role.ts';

/** Where the page tells people what went wrong. */
const toFailurePage = (word: 'denied' | 'failed' | 'no_role') => `/sign-in?error=${word}`;

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

/** Signing in with an OpenID provider: the way there, and the way back. */
export function createOidcRouter(parts: ConsoleParts & { logger: Logger }): Router {
  const { config, db, failures, logger } = parts;
  const router = Router({ caseSensitive: true, strict: true });
  if (config.oidcIssuer === undefined) return router;
  const provider = new OidcClient(config);
  const roles = parseRoles(config.oidcRoles);

  function requirePlace(request: Request): SignInPlace {
    const place = findSignInPlace(request, config.consoleOrigin);
    // The provider sends the browser back to CONSOLE_ORIGIN alone, where a cookie of another name is unknown.
    if (!place?.hasOrigin(config.consoleOrigin ?? '')) throw new ApiError('sign_in_not_here');
    return place;
  }

  router.get('/start', async (request: Request, response: Response) => {
    response.locals.route = '/console/oidc/start';
    const place = requirePlace(request);
    const { half_sha256: halfSha256, return_to: returnTo } = request.query;
    if (typeof halfSha256 !== 'string' || !/^[0-9a-f]{64}$/.test(halfSha256))
      throw new ApiError('invalid_parameter', 'half_sha256: must be 64 hexadecimal digits');
    try {
      const { url, ...begun } = await provider.begin();
      keepFlow(response, { ...begun, halfSha256, returnTo: toReturnPath(returnTo, isPagePath) }, place);
      response.redirect(302, url.href);
    } catch (error) {
      logger.warn({ error: describeFault(error) }, 'the OpenID provider cannot be used');
      response.redirect(302, toFailurePage('failed'));
    }
  });

  router.get('/callback', async (request: Request, response: Response) => {
    response.locals.route = '/console/oidc/callback';
    const place = requirePlace(request);
    const flow = readFlow(request, place);
    forgetFlow(response, place);
    let person: Person;
    try {
      if (flow === undefined) throw new TypeError('not begun in this browser');
      person = await provider.finish(request.originalUrl.slice(request.originalUrl.indexOf('?')), flow);
    } catch (error) {
      await refuseAfterFailure(failures, request);
      logger.warn({ error: describeFault(error) }, 'signing in with the OpenID provider failed');
      response.redirect(302, toFailurePage(isDenied(error) ? 'denied' : 'failed'));
      return;
    }
    const role = readRole(person.claims, config.oidcRoleClaim, roles);
    if (role === null) {
      await refuseAfterFailure(failures, request);
      await noteRefusal(db, request, person);
      response.redirect(302, toFailurePage('no_role'));
      return;
    }
    const { token } = await beginSession(db, request, {
      owner: { issuer: person.issuer, subject: person.subject },
      actor: { kind: 'person', id: person.subject, name: person.name },
      role,
      method: 'oidc',
      halfSha256: Buffer.from(flow.halfSha256, 'hex'),
      before: undefined,
    });
    setSessionCookie(response, token, place);
    response.redirect(302, flow.returnTo);
  });
  return router;
}

/** Without its message, which may repeat what a caller or the provider sent. */
const describeFault = (error: unknown) =>
  error instanceof Error ? { name: error.name, code: (error as { code?: unknown }).code } : { name: typeof error };
