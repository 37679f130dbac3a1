import type { Outbox } from '@agp/bus';
import { createLogger, type Logger, type Service, startOpsServer, startTracing, toStopLimit } from '@agp/runtime';
import { BodyMemory } from './body/body-memory.ts';
import { logConfig, type ProxyConfig } from './config.ts';
import { ClosedTogether, connectNats, openPostgres, openReadyConnections, openRedis } from './connections.ts';
import { createContext } from './create-context.ts';
import { startEdge } from './edge/create-edge.ts';
import { finishRequests } from './stop/finish-requests.ts';
import { watchRunning } from './stop/running-requests.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createReadiness } from './telemetry/readiness.ts';
import { createWarnings } from './telemetry/warnings.ts';

export interface Proxy extends Service {
  opsUrl: string;
}

/**
 * Waits for NATS, and listens; Postgres and Redis may be away. Health and metrics are there from the beginning.
 * `stop` ends running requests and publishes every event that is still held.
 */
export async function startProxy(config: ProxyConfig, overrides: { logger?: Logger } = {}): Promise<Proxy> {
  const logger = overrides.logger ?? createLogger('proxy', config.logLevel);
  const warnings = createWarnings(logger);
  const load = { running: 0, promised: 0, nextProducerSeq: 0 };
  const bodyMemory = new BodyMemory(config);
  let outbox: Outbox | null = null;
  const metrics = createMetrics({
    providers: config.providers.keys(),
    outbox: () => outbox?.size ?? 0,
    running: () => load.running,
    bufferedBytes: () => bodyMemory.bytes,
  });

  // Undone in reverse order, by `stop` or by a start that fails.
  await using opened = new AsyncDisposableStack();
  const servers = opened.use(new ClosedTogether());
  const tracing = await startTracing(config, { service: 'proxy', onFailure: warnings.tracesLost });
  servers.add(tracing, (each) => each?.stop());
  const database = servers.add(openPostgres(config, logger), (each) => each.close());
  const readiness = createReadiness(config, database.pool, logger, () => outbox);
  opened.defer(() => readiness.stop());
  const opsAt = { ...config, host: config.opsHost, port: config.opsPort };
  const ops = servers.add(await startOpsServer(opsAt, metrics.registry, readiness), (each) => each.stop(0));
  const bus = servers.add(await connectNats(config, logger), (each) => each.close());
  const clients = openRedis(config, logger);
  opened.defer(() => clients.redis.disconnect());
  opened.defer(() => clients.budgetRedis.disconnect());
  const setup = { config, logger, metrics, warnings, tracing, load, bodyMemory };
  const context = opened.use(createContext(setup, { pool: database.pool, bus, ...clients }));
  outbox = context.outbox;
  if (config.killRunning) {
    opened.defer(watchRunning(context));
    opened.defer(watchRunning({ ...context, runningRequests: context.background.running }));
  }

  logConfig(config, logger);
  await openReadyConnections(database.pool);
  await readiness.look();
  const http = await startEdge(context);
  readiness.serve();
  logger.info({ url: http.url, ops: ops.url }, 'proxy is listening');

  const running = opened.move();
  let stopping: Promise<void> | null = null;
  const stop = (hurry?: AbortSignal) =>
    (stopping ??= finishRequests(context, readiness, http, hurry).then(() => running.disposeAsync()));
  return {
    url: http.url,
    opsUrl: ops.url,
    stopWithinMs: toStopLimit(config),
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}
