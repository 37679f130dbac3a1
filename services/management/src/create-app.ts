import { ApiError } from '@agp/core/errors';
import type { Throttle } from '@agp/reservations';
import type { Logger } from '@agp/runtime';
import express, { type Express, type RequestHandler } from 'express';
import { authenticate, type Caller, requireScope } from './authenticate.ts';
import type { Context, Route } from './define-route.ts';
import { serveDocsAssets } from './docs/serve-docs-assets.ts';
import { handleError } from './handle-error.ts';
import { parseInput, readJsonBody } from './parse-input.ts';

export interface AppParts {
  context: Context;
  routes: readonly Route[];
  /** Counts failed authentications by address. */
  failures: Throttle;
  logger: Logger;
  observe: RequestHandler;
}

/** An id with a broken `%` is unknown, not malformed: taken as it is written, it matches its route and nothing else. */
const repairPath: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  try {
    decodeURIComponent(path);
  } catch {
    request.url = [path.replaceAll('%', '%25'), ...query].join('?');
  }
  next();
};

const setHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  next();
};

function toExpressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** authenticated -> scope -> edition -> parsed -> handled */
function handleRoute(route: Route, context: Context): RequestHandler {
  return async (request, response) => {
    const caller = response.locals.caller as Caller | undefined;
    const input = {
      params: request.params as Record<string, string>,
      query: route.query && parseInput(route.query, request.query, 'query'),
      body: route.body && parseInput(route.body, request.body, 'body'),
      request,
      keyId: caller?.keyId ?? '',
    };
    await route.handle(input, response, context);
  };
}

function guardRoute(route: Route, context: Context): RequestHandler {
  return (_request, response, next) => {
    response.locals.route = route.path;
    if (route.scope !== null) requireScope(response.locals.caller, route.scope);
    if (route.extendedOnly && context.config.edition === 'base') throw new ApiError('base_edition');
    next();
  };
}

function refuseMethod(path: string, routes: readonly Route[]): RequestHandler {
  const methods = routes.filter((route) => route.path === path).map((route) => route.method.toUpperCase());
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  return (_request, response) => {
    response.locals.route = path;
    throw new ApiError('method_not_allowed', undefined, { Allow: allow });
  };
}

/** The HTTP side of the service: what every request goes through, and the routes. */
export function createApp({ context, routes, failures, logger, observe }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  // Lists can be long and change all the time: hashing each answer would buy nothing.
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', context.config.trustProxy);
  app.use(observe, setHeaders, repairPath);
  app.use('/docs', serveDocsAssets());
  app.use('/api/v1', authenticate(context.db, failures));
  for (const route of routes) {
    const handlers = [guardRoute(route, context), ...(route.body ? [readJsonBody] : []), handleRoute(route, context)];
    app[route.method](toExpressPath(route.path), ...handlers);
  }
  // After all routes: a path with a parameter must not refuse a method for a fixed one beside it.
  const paths = new Set(routes.map((route) => route.path));
  for (const path of paths) app.all(toExpressPath(path), refuseMethod(path, routes));
  app.use(() => {
    throw new ApiError('not_found');
  });
  app.use(handleError(logger));
  return app;
}
