import { severities } from '@agp/alerts';
import { countUnresolved, type Db } from '@agp/db';
import { Counter, createRegistry, Gauge, Histogram, type Registry } from '@agp/runtime';
import type { RequestHandler } from 'express';
import type { LiveStreams } from './live/live-streams.ts';

/** @param reads asked for the alerts at each scrape */
export function createMetrics(streams: LiveStreams, reads: Db): { registry: Registry; observe: RequestHandler } {
  const registry = createRegistry('management');
  const requests = new Counter({
    name: 'agp_management_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'agp_management_request_duration_seconds',
    help: 'Time from the request to the end of its answer; event streams left out',
    labelNames: ['method', 'route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'agp_management_open_streams',
    help: 'Clients connected to the live event stream',
    registers: [registry],
    collect() {
      this.set(streams.size);
    },
  });
  new Gauge({
    name: 'agp_management_live_stream_available',
    help: '1 while live streams are opened, 0 while NATS does not announce to this process what is recorded',
    registers: [registry],
    collect() {
      this.set(streams.isAvailable ? 1 : 0);
    },
  });
  new Gauge({
    name: 'agp_management_unresolved_alerts',
    help: 'Alerts that are not over, as GET /api/v1/alerts?state=unresolved lists them; none while Postgres cannot be asked',
    labelNames: ['severity', 'state'],
    registers: [registry],
    async collect() {
      const rows = await countUnresolved(reads).catch(() => null);
      this.reset();
      if (rows === null) return;
      for (const severity of severities) for (const state of ['open', 'acknowledged']) this.set({ severity, state }, 0);
      for (const { severity, state, count } of rows) this.set({ severity, state }, count);
    },
  });
  const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE']);
  const observe: RequestHandler = (request, response, next) => {
    const started = process.hrtime.bigint();
    response.on('close', () => {
      const method = methods.has(request.method) ? request.method : 'other';
      const route: string = response.locals.route ?? 'unknown';
      requests.inc({ method, route, status: response.statusCode });
      if (response.getHeader('content-type') === 'text/event-stream; charset=utf-8') return;
      duration.observe({ method, route }, Number(process.hrtime.bigint() - started) / 1e9);
    });
    next();
  };
  return { registry, observe };
}
