import { connectBus, logBusStatus } from '@agp/bus';
import { createStorageChecks, openDatabase } from '@agp/db';
import { budgetTimeoutMs, connectRedis } from '@agp/reservations';
import {
  createLogger,
  type Logger,
  logLostConnection,
  logReadiness,
  logRedisStatus,
  Readiness,
  type Service,
  startHttpServer,
  startOpsServer,
  startTracing,
  toStopLimit,
} from '@agp/runtime';
import { BodyMemory } from './body/body-memory.ts';
import { isOpenToOthers, type ProxyConfig } from './config.ts';
import type { ProxyContext } from './context.ts';
import { createContext } from './create-context.ts';
import { createEdge } from './edge/create-edge.ts';
import { finishRequests } from './stop/finish-requests.ts';
import { watchRunning } from './stop/running-requests.ts';
import { createMetrics, startAtZero } from './telemetry/metrics.ts';
import { createWarnings } from './telemetry/warnings.ts';

/** A running proxy. */
export interface Proxy extends Service {
  opsUrl: string;
}

/** For tests. */
interface ProxyOverrides {
  logger?: Logger;
}

/** Statements of admission end by themselves so much later than the requests that gave them up, in milliseconds. */
const statementMarginMs = 100;
const openIdentityWarning =
  'AGENT_IDENTITY=open: whoever reaches this port may call itself any agent, and leave a block or a cap behind; set it to token';
/** Connections to Postgres made before the first request: under full load it would wait while all are made at once. */
const readyConnections = 5;

/**
 * Waits for NATS, and listens: Postgres and Redis may be away, as they may later. Health and metrics are there from the beginning.
 * `stop` ends running requests and publishes every event that is still held.
 */
export async function startProxy(config: ProxyConfig, overrides: ProxyOverrides = {}): Promise<Proxy> {
  const logger = overrides.logger ?? createLogger('proxy', config.logLevel);
  const warnings = createWarnings(logger);
  let context: ProxyContext | null = null;

  // Undone in reverse order, by `stop` or by a start that fails.
  await using opened = new AsyncDisposableStack();
  const redisClients = opened.use(new DisposableStack());
  // All at once: one that waits for a server which does not answer must not hold up the others.
  const closings: (() => unknown)[] = [];
  opened.defer(async () => void (await Promise.allSettled(closings.map(async (close) => close()))));
  // Polling and the like, which a stop ends before the last rows are stored.
  const background = opened.use(new DisposableStack());

  const tracing = await startTracing(config, { service: 'proxy', onFailure: warnings.tracesLost });
  closings.push(() => tracing?.stop());
  const database = openDatabase({
    url: config.databaseUrl,
    applicationName: 'agp-proxy',
    statementTimeoutMs: config.storageTimeoutMs + statementMarginMs,
    usesIndexesOnly: true,
    onConnectionError: logLostConnection(logger),
  });
  closings.push(() => database.close());

  const load = { running: 0, promised: 0, nextProducerSeq: 0 };
  const bodyMemory = new BodyMemory({
    maxBytes: config.maxBufferedBytes,
    maxBytesPerAgent: config.maxBufferedBytesPerAgent,
    maxRequestBytes: config.maxRequestBytes,
  });
  const metrics = createMetrics({
    outbox: () => context?.outbox.size ?? 0,
    running: () => load.running,
    bufferedBytes: () => bodyMemory.bytes,
  });
  startAtZero(metrics, config.providers.keys());
  const readiness = new Readiness(
    {
      ...createStorageChecks(database.pool),
      // Only until NATS is there for the first time: later the outbox bridges its absence, which must not make every replica unready.
      nats: async () => {
        if (context === null) throw new Error('not connected yet');
      },
      outbox: async () => {
        const outbox = context?.outbox;
        if (config.audit === 'strict' && outbox && outbox.size >= outbox.capacity)
          throw new Error('the outbox is full');
      },
    },
    { onChange: logReadiness(logger) },
  );
  background.defer(() => readiness.stop());
  const ops = await startOpsServer(
    { ...config, host: config.opsHost, port: config.opsPort },
    metrics.registry,
    readiness,
  );
  closings.push(() => ops.stop(0));

  const bus = await connectBus({
    url: config.natsUrl,
    urlFile: config.natsUrlFile,
    caFile: config.natsCaFile,
    name: 'agp-proxy',
    onStatus: logBusStatus(logger),
  });
  closings.push(() => bus.close());
  const redisServer = { url: config.redisUrl, caFile: config.redisCaFile };
  const redis = connectRedis({
    ...redisServer,
    commandTimeoutMs: config.redisTimeoutMs,
    onStatus: logRedisStatus(logger),
  });
  const budgetRedis = connectRedis({
    ...redisServer,
    commandTimeoutMs: config.redisTimeoutMs ?? budgetTimeoutMs,
    onReady: () => context?.budget.reconnect(),
  });
  for (const client of [redis, budgetRedis]) redisClients.defer(() => client.disconnect());

  const made = createContext(
    { config, logger, metrics, tracing, load, bodyMemory },
    { pool: database.pool, bus, redis, budgetRedis, warnings },
  );
  context = made;
  const { storage, budget, outbox, refusals, doubts, runningRequests, upstream, metering } = made;
  closings.push(
    () => upstream.destroy(),
    () => metering.stop(),
  );
  opened.defer(async () => void (await Promise.all([budget.stop(), refusals.stop(), doubts.stop()])));
  background.defer(() => outbox.stop());
  if (config.killRunning)
    background.defer(watchRunning(runningRequests, storage.readRunningStates, warnings.storageUnreadable));

  if (config.prices)
    logger.info({ entries: config.prices.entries.length, version: config.prices.version }, 'prices are read');
  if (isOpenToOthers(config)) logger.warn({ host: config.host }, openIdentityWarning);
  await Promise.allSettled(Array.from({ length: readyConnections }, () => database.pool.query('SELECT 1')));
  await readiness.look();
  const http = await startHttpServer(
    createEdge(made),
    { host: config.host, port: config.proxyPort },
    config.drainDelaySeconds,
    config.maxConnections,
  );
  // Without this, Node would ask for every body before the agent is admitted.
  http.server.on('checkContinue', (request, response) => http.server.emit('request', request, response));
  readiness.serve();
  logger.info({ url: http.url, ops: ops.url }, 'proxy is listening');

  const running = opened.move();
  let stopping: Promise<void> | null = null;
  const stop = async (hurry?: AbortSignal) => {
    await finishRequests({ config, logger, readiness, http, outbox, load, runningRequests }, hurry);
    background.dispose();
    await running.disposeAsync();
  };
  const stopOnce = (hurry?: AbortSignal) => (stopping ??= stop(hurry));
  return {
    url: http.url,
    opsUrl: ops.url,
    stopWithinMs: toStopLimit(config),
    stop: stopOnce,
    [Symbol.asyncDispose]: () => stopOnce(),
  };
}
