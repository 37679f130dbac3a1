import type { IncomingMessage, ServerResponse } from 'node:http';
import { Gauge, type Registry } from 'prom-client';
import { type HttpServer, startHttpServer } from './http-server.ts';
import type { Readiness } from './readiness.ts';

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  registry: Registry,
  readiness: Readiness,
): Promise<void> {
  const path = request.url?.split('?')[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response
      .writeHead(405, { 'content-type': 'application/json', allow: 'GET, HEAD' })
      .end('{"error":"method not allowed"}');
  } else if (path === '/healthz') {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
  } else if (path === '/readyz') {
    const { reasons } = readiness;
    response
      .writeHead(reasons.length === 0 ? 200 : 503, { 'content-type': 'application/json' })
      .end(JSON.stringify(reasons.length === 0 ? { status: 'ready' } : { status: 'unready', reasons }));
  } else if (path === '/metrics') {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  } else {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
  }
}

/** Probes and scrapes. */
const maxConnections = 500;

/**
 * The second, unauthenticated port of each service, never on the ingress: `GET /healthz` (the process turns),
 * `GET /readyz` (its dependencies answer), `GET /metrics` (Prometheus text, in which `agp_ready` is what `/readyz` says).
 */
export function startOpsServer(
  address: { host: string; port: number },
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
  return startHttpServer(
    (request, response) => {
      // A metric that cannot be collected costs the scrape its connection, not the service its life.
      answer(request, response, registry, readiness).catch((error) => response.destroy(error));
    },
    address,
    0,
    maxConnections,
  );
}
