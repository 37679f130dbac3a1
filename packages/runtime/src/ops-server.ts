import type { Registry } from 'prom-client';
import { type HttpServer, startHttpServer } from './http-server.ts';
import type { Readiness } from './readiness.ts';

/**
 * The second, unauthenticated port of each service, never on the ingress: `GET /healthz` (the process turns),
 * `GET /readyz` (its dependencies answer), `GET /metrics` (Prometheus text).
 */
export function startOpsServer(
  address: { host: string; port: number },
  registry: Registry,
  readiness: Readiness,
): Promise<HttpServer> {
  return startHttpServer(async (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/healthz') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
    } else if (path === '/readyz') {
      const { reasons } = readiness;
      response
        .writeHead(reasons.length === 0 ? 200 : 503, { 'content-type': 'application/json' })
        .end(JSON.stringify(reasons.length === 0 ? { status: 'ready' } : { status: 'unready', reasons }));
    } else if (path === '/metrics') {
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    } else {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
    }
  }, address);
}
