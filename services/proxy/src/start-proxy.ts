import { connectBus, logBusStatus, Outbox } from '@agp/bus';
import { uuidOf } from '@agp/core/ids';
import { addDoubtfulUsage, addRefusals, createStorageChecks, openDatabase } from '@agp/db';
import { budgetTimeoutMs, connectRedis, createBudgetReservations, type Redis } from '@agp/reservations';
import {
  createLogger,
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
import { Agent } from 'undici';
import { BodyMemory } from './body/index.ts';
import { createBudget } from './budget/index.ts';
import { isOpenToOthers, type ProxyConfig } from './config.ts';
import { createContext } from './create-context.ts';
import { createEdge } from './edge/create-edge.ts';
import { DoubtLog } from './events/doubt-log.ts';
import { RefusalLog } from './events/refusal-log.ts';
import { finishRequests } from './stop/finish-requests.ts';
import { RunningRequests, watchRunning } from './stop/running-requests.ts';
import { createStorage } from './storage/storage.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { startAtZero } from './telemetry/start-at-zero.ts';
import { createWarnings } from './telemetry/warnings.ts';

/** A running proxy. */
export interface Proxy extends Service {
  opsUrl: string;
}

/** Statements of admission end by themselves after this long; the request has had its 503 by then. */
const admissionTimeoutMs = 1_000;
/** Said at each start: blocks and caps then hold for a name, not for whoever uses it. */
const openIdentityWarning =
  'AGENT_IDENTITY=open: whoever reaches this port may call itself any agent, and leave a block or a cap behind; set it to token';
/** Made before the first request comes: under full load it would wait while they are all made at once. */
const readyConnections = 5;

/**
 * Waits for NATS, and listens: Postgres and Redis may be away, as they may later. Health and metrics are there from the beginning.
 * `stop` ends running requests and hands over every event that is still held.
 */
export async function startProxy(config: ProxyConfig): Promise<Proxy> {
  const logger = createLogger('proxy', config.logLevel);
  const warnings = createWarnings(logger);
  // Undone in reverse order, by `stop` or by a start that fails.
  await using opened = new AsyncDisposableStack();
  const redisClients: Redis[] = [];
  opened.defer(() => {
    for (const client of redisClients) client.disconnect();
  });
  // All at once: one that waits for a server which does not answer must not keep the others from it.
  const closings: (() => Promise<unknown>)[] = [];
  opened.defer(async () => {
    await Promise.allSettled(closings.map((close) => close()));
  });
  // What goes on by itself. A stop ends it before the last is handed over.
  const goingOn = opened.use(new DisposableStack());

  const tracing = await startTracing(config, { service: 'proxy', onFailure: warnings.tracesLost });
  closings.push(async () => tracing?.stop());
  const database = openDatabase({
    url: config.databaseUrl,
    applicationName: 'agp-proxy',
    statementTimeoutMs: admissionTimeoutMs,
    onConnectionError: logLostConnection(logger),
  });
  closings.push(() => database.close());
  const load = { running: 0, forwarded: 0, nextProducerSeq: 0 };
  const bodyMemory = new BodyMemory({
    maxBytes: config.maxBufferedBytes,
    maxBytesPerAgent: config.maxBufferedBytesPerAgent,
    maxRequestBytes: config.maxRequestBytes,
  });
  let held: Outbox | null = null;
  const metrics = createMetrics({
    outbox: () => held?.size ?? 0,
    running: () => load.running,
    bufferedBytes: () => bodyMemory.bytes,
  });
  const readiness = new Readiness(
    {
      ...createStorageChecks(database.pool),
      // Once it was there NATS is left out: the outbox carries every replica through its absence, which must not end them all at once.
      nats: async () => {
        if (held === null) throw new Error('not connected yet');
      },
      outbox: async () => {
        if (config.audit === 'strict' && held && held.size >= held.capacity) throw new Error('the outbox is full');
      },
    },
    { onChange: logReadiness(logger) },
  );
  goingOn.defer(() => readiness.stop());
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
  const redis = connectRedis({
    url: config.redisUrl,
    caFile: config.redisCaFile,
    onStatus: logRedisStatus(logger),
  });
  redisClients.push(redis);
  const budgetRedis = connectRedis({
    url: config.redisUrl,
    caFile: config.redisCaFile,
    commandTimeoutMs: budgetTimeoutMs,
    onStatus: (status) => {
      if (status === 'ready') budget.renew();
    },
  });
  redisClients.push(budgetRedis);

  startAtZero(metrics, config.providers.keys());
  const storage = createStorage(database.pool, warnings.storageUnreadable);
  const budget = createBudget({
    shared: createBudgetReservations(budgetRedis),
    storage,
    isStrict: config.budget === 'strict',
    onFailure: (error) => {
      metrics.budgetFallbacks.inc();
      warnings.budgetsAlone(error);
    },
  });
  const refusals = new RefusalLog({
    store: (counts) => addRefusals(database.pool, counts),
    onFailure: warnings.refusalsKept,
    onDrop: (count) => metrics.uncountedRefusals.inc(count),
  });
  const doubts = new DoubtLog({
    store: (rows) => addDoubtfulUsage(database.pool, rows),
    onFailure: warnings.doubtsKept,
  });
  opened.defer(async () => {
    await Promise.all([budget.stop(), refusals.stop(), doubts.stop()]);
  });
  const runningRequests = new RunningRequests();
  if (config.killRunning)
    goingOn.defer(
      watchRunning(runningRequests, (agents) => storage.readRunningStates(agents), warnings.storageUnreadable),
    );
  const outbox = new Outbox(bus, {
    onConfirm: (ids) => {
      for (const id of ids) budget.confirm(uuidOf('evt', id));
    },
    onDrop: () => {
      metrics.droppedEvents.inc();
      warnings.eventLost(null);
    },
    onRefusal: (description) => {
      metrics.refusedEvents.inc();
      warnings.eventsRefused(description);
    },
  });
  goingOn.defer(() => outbox.stop());
  held = outbox;
  if (config.prices)
    logger.info({ entries: config.prices.entries.length, version: config.prices.version }, 'prices are read');
  if (isOpenToOthers(config)) logger.warn({ host: config.host }, openIdentityWarning);
  const timeoutMs = config.upstreamTimeoutSeconds * 1_000;
  const upstream = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: 10_000 },
    // One connection a request: what breaks one answer then breaks no other.
    allowH2: false,
  });
  closings.push(() => upstream.destroy());
  const connected = {
    config,
    logger,
    metrics,
    tracing,
    outbox,
    upstream,
    load,
    bodyMemory,
    storage,
    budget,
    refusals,
    doubts,
    runningRequests,
  };
  const context = createContext(connected, redis, warnings);
  closings.push(() => context.metering.stop());

  await Promise.allSettled(Array.from({ length: readyConnections }, () => database.pool.query('SELECT 1')));
  await readiness.look();
  const edge = createEdge(context);
  const http = await startHttpServer(
    edge,
    { host: config.host, port: config.proxyPort },
    config.drainDelaySeconds,
    config.maxConnections,
  );
  // Without this, Node would ask for every body before the agent is known to be let through.
  http.server.on('checkContinue', (request, response) => http.server.emit('request', request, response));
  readiness.serve();
  logger.info({ url: http.url, ops: ops.url }, 'proxy is listening');

  const running = opened.move();
  let stopping: Promise<void> | null = null;
  const stop = async (hurry?: AbortSignal) => {
    await finishRequests({ config, logger, readiness, http, outbox, load, runningRequests }, hurry);
    goingOn.dispose();
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
