import { randomUUIDv7 } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import type { Db } from '@agp/db';
import type { Throttle } from '@agp/reservations';
import type { CallerGuard, Logger } from '@agp/runtime';
import express, { type Request, type RequestHandler } from 'express';
import { authenticate, requireScope } from './authenticate.ts';
import { logChanges } from './changes.ts';
import { createSessionFinder } from './console/sessions.ts';
import { type Context, isInEdition, type Route } from './define-route.ts';
import { serveDocsAssets } from './docs/docs-page.ts';
import { handleError } from './handle-error.ts';
import { type Caller, createKeyFinders } from './keys.ts';
import { chooseFormat, csvOf, giveUpSilentReader, sendJson, sendRows } from './replies.ts';
import { found, parseInput, parseQuery, readJsonBody, readJsonOrYaml, readQuery } from './requests.ts';
import { createOidcRouter, createSessionRouter, openConsoleParts } from './sign-in/sign-in-routers.ts';

interface AppParts {
  context: Context;
  /** The connections of a caller, for reads or for changes; a team's see its rows alone. */
  databaseOf(caller: Caller, isRead: boolean): Db;
  routes: readonly Route[];
  failures: Throttle;
  logger: Logger;
  observe: RequestHandler;
  callers: CallerGuard;
}

/**
 * An id with a broken `%` is unknown, not malformed: taken literally, it matches its route and then nothing in storage. Only the trailing
 * slash of `/docs` is ignored.
 */
const repairPath: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  try {
    decodeURIComponent(path);
  } catch {
    request.url = [path.replaceAll('%', '%25'), ...query].join('?');
  }
  if (path === '/docs/') request.url = '/docs';
  next();
};

const guardCallers =
  (callers: CallerGuard): RequestHandler =>
  (request, response, next) => {
    if (callers.greet(request, response)) return;
    callers.assure(request);
    next();
  };

/** An answer to TRACE would show the request's headers. */
const refuseTrace: RequestHandler = ({ method }, _response, next) => {
  if (method !== 'TRACE') return next();
  throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD, PUT, POST, DELETE' } });
};

const setHeaders: RequestHandler = (_request, response, next) => {
  const requestId = toPublicId('req', randomUUIDv7());
  response.locals.requestId = requestId;
  response.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  });
  next();
};

/** An empty id is an unknown one; without the optional parameter its path would match the list's. */
function toExpressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, '{:$1}');
}

function readPathParameters(route: Route, request: Request): Record<string, string> {
  const given = request.params as Record<string, string | undefined>;
  return Object.fromEntries(
    Object.entries(route.params ?? {}).map(([name, { read, error = 'not_found' }]) => [
      name,
      found(read(given[name] ?? ''), error),
    ]),
  );
}

function handleRoute(route: Route, { context, databaseOf }: AppParts): RequestHandler {
  return async (request, response) => {
    // The caller may have left while the key was looked up.
    if (response.closed) return;
    const caller = response.locals.caller as Caller | undefined;
    const isRead = route.isRead && caller !== undefined;
    if (isRead && route.answer.contentType !== 'text/event-stream')
      response.once('prefinish', () => giveUpSilentReader(response));
    const input = {
      query: parseQuery(route.query, request.query),
      body:
        typeof request.body === 'string' && route.readText
          ? route.readText(request.body)
          : route.body && parseInput(route.body, request.body, 'body'),
      params: readPathParameters(route, request),
      request,
      caller,
    };
    const own = caller === undefined ? context : { ...context, db: databaseOf(caller, isRead === true) };
    await chooseFormat(route, input, response, own.db);
    const body = await route.handle(input, own, response);
    if (body !== undefined && csvOf(response) !== undefined) sendRows(response, [body as object].flat());
    else if (body !== undefined) await sendJson(response.status(route.answer.status ?? 200), body as object);
    else if (!response.headersSent) response.status(204).end();
  };
}

function guardRoute(route: Route, context: Context): RequestHandler {
  return (_request, response, next) => {
    response.locals.route = route.path;
    const caller = response.locals.caller as Caller | undefined;
    if (route.scope !== null) requireScope(found(caller, 'internal'), route.scope);
    if (route.ofInstallation && caller?.match) throw new ApiError('installation_only');
    if (!isInEdition(route, context.config)) throw new ApiError('base_edition');
    next();
  };
}

function refuseMethod(path: string, routes: readonly Route[], context: Context): RequestHandler {
  const inPath = routes.filter((route) => route.path === path);
  const inEdition = inPath.some((route) => isInEdition(route, context.config));
  const methods = inPath.map((route) => route.method.toUpperCase());
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  return (_request, response) => {
    response.locals.route = path;
    if (!inEdition) throw new ApiError('base_edition');
    throw new ApiError('method_not_allowed', { headers: { Allow: allow } });
  };
}

/** What clients of models add to a base URL that they take for the proxy's. */
const modelCall = /^(?!\/+api\/).*\/(?:v\d\w*\/.*|completions|messages|responses|embeddings|models)$/;

const tellProxy = (address = 'its own port, 8080 unless PROXY_PORT says otherwise') =>
  `not found: this is the management API, which passes nothing on to models; agents reach the proxy at ${address}`;

export function createApp(parts: AppParts): RequestListener {
  const { context, routes, failures, logger, observe, callers } = parts;
  const app = express();
  app.disable('x-powered-by');
  // Lists change all the time: hashing each answer would buy nothing.
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Express' own parser stops after a thousand.
  app.set('query parser', readQuery);
  app.set('trust proxy', context.config.trustProxy);
  app.use(observe, logChanges(logger), setHeaders, refuseTrace, guardCallers(callers), repairPath);
  app.use('/docs', serveDocsAssets());
  const keys = createKeyFinders(context.db);
  const findSession = createSessionFinder(context.db, keys, context.config);
  app.use('/api/v1', authenticate({ db: context.db, keys, findSession, failures }));
  app.use(context.console.serve);
  const consoleParts = openConsoleParts(context, failures);
  app.use('/console', createSessionRouter(consoleParts));
  app.use('/console/oidc', createOidcRouter({ ...consoleParts, logger }));
  for (const route of routes) {
    const handlers = [
      guardRoute(route, context),
      ...(route.body ? [route.readText ? readJsonOrYaml : readJsonBody] : []),
      handleRoute(route, parts),
    ];
    app[route.method](toExpressPath(route.path), ...handlers);
  }
  // A path with a parameter must not refuse a method of a fixed path that it also matches.
  const paths = new Set(routes.map((route) => route.path));
  for (const path of paths) app.all(toExpressPath(path), refuseMethod(path, routes, context));
  app.use(({ path }) => {
    throw new ApiError('not_found', modelCall.test(path) ? tellProxy(context.config.consoleProxyAddress) : {});
  });
  app.use(handleError(logger));
  return (request, response) => {
    // Express would answer a target that is not a path, such as that of `OPTIONS *`, with its own error page.
    if (!/^(?:\/|https?:)/i.test(request.url ?? '')) request.url = '/*';
    app(request, response);
  };
}
