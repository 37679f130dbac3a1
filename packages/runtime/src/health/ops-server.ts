import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@agp/core/errors';
import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };
import { type CallerGuard, type CallerSettings, createCallerGuard } from '../http/caller-guard.ts';
import { type HttpServer, startHttpServer } from '../http/http-server.ts';
import { sendJson } from '../http/refuse-unreadable.ts';
import type { Readiness } from './readiness.ts';

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  registry: Registry,
  readiness: Readiness,
  callers: CallerGuard,
): Promise<void> {
  if (callers.greet(request, response)) return;
  const path = request.url?.split('?')[0];
  const refusal = findRefusal(request, callers);
  const { reasons, without } = readiness;
  const missing = without.length === 0 ? {} : { without };
  if (refusal !== null) sendJson(response, refusal.status, { error: refusal.message }, refusal.headers);
  else if (path === '/healthz') sendJson(response, 200, { status: 'ok' });
  else if (path === '/readyz' && reasons.length === 0) sendJson(response, 200, { status: 'ready', ...missing });
  else if (path === '/readyz') sendJson(response, 503, { status: 'unready', reasons, ...missing });
  else if (path === '/metrics') {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  } else sendJson(response, 404, { error: 'not found' });
}

const maxConnections = 500;

function findRefusal(request: IncomingMessage, callers: CallerGuard): ApiError | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
  }
  try {
    callers.assure(request);
    return null;
  } catch (error) {
    return error as ApiError;
  }
}

/** People open them by links on Prometheus' pages and the like. */
const pages = ['/healthz', '/readyz', '/metrics'];

/**
 * The second, unauthenticated port of each service, never on the ingress: `/healthz` (the process is alive), `/readyz` (what it needs
 * answers; `without` names what it does without), `/metrics` (Prometheus text).
 */
export function startOpsServer(
  address: { host: string; port: number } & CallerSettings,
  registry: Registry,
  readiness: Readiness,
): Promise<HttpServer> {
  new Gauge({
    name: 'agp_ready',
    help: '1 while the service is ready, 0 while something keeps it from serving',
    registers: [registry],
    collect() {
      this.set(readiness.reasons.length === 0 ? 1 : 0);
    },
  });
  const callers = createCallerGuard({ ...address, isPage: (path) => pages.includes(path) });
  return startHttpServer(
    (request, response) => {
      // If a metric cannot be collected, the scrape loses its connection and the service lives on.
      answer(request, response, registry, readiness, callers).catch((error) => response.destroy(error));
    },
    address,
    0,
    { maxConnections },
  );
}

/** Every package of the workspace has the same. */
export const version: string = manifest.version;

/** Collected once for a process: each collection observes its garbage collector until the process ends. */
let ofProcess: Registry | undefined;

function collectOfProcess(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}

export function createRegistry(service: string): Registry {
  const registry = new Registry();
  ofProcess ??= collectOfProcess();
  for (const metric of ofProcess.getMetricsAsArray()) registry.registerMetric(metric as unknown as Metric);
  const build = new Gauge({
    name: 'agp_build_info',
    help: 'Always 1; which service this is, and its version',
    labelNames: ['version', 'service'],
    registers: [registry],
  });
  build.set({ version, service }, 1);
  return registry;
}
