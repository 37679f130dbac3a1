import { type BusConnection, connectBus, logBusStatus, type Outbox } from '@agp/bus';
import {
  createStorageChecks,
  type Database,
  findNameOwner,
  openDatabase,
  type Pool,
  readAdmissions,
  readDocumentsAt,
} from '@agp/db';
import { budgetTimeoutMs, connectRedis, type Redis } from '@agp/reservations';
import {
  createLogger,
  type FollowedFile,
  followSetting,
  followSettingFile,
  type Logger,
  logLostConnection,
  logReadiness,
  logRedisStatus,
  Readiness,
  readUrlAgain,
  type Service,
  startOpsServer,
  startTracing,
  toStopLimit,
  withTimeout,
} from '@agp/runtime';
import { proxyConfigSchema } from '@agp/settings';
import { BodyMemory } from './body/body-memory.ts';
import { loadPrices, logConfig, logPrices, type ProxyConfig } from './config.ts';
import { createContext } from './create-context.ts';
import { startEdge } from './edge/create-edge.ts';
import { listEndpoints } from './head/endpoints.ts';
import { followProviderKeys, keepNotingKeys } from './settings/follow-provider-keys.ts';
import { keepMadeKeys } from './settings/made-key.ts';
import { finishRequests, watchRunning } from './stop/running-requests.ts';
import { createMetrics } from './telemetry/metrics.ts';
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
  let priceFile: FollowedFile | null = null;
  const metrics = createMetrics({
    providers: config.providers.keys(),
    outbox: () => outbox?.size ?? 0,
    running: () => load.running,
    bufferedBytes: () => bodyMemory.bytes,
    priceFileIsRefused: () => priceFile?.isRefused ?? false,
  });

  // Undone in reverse order, by `stop` or by a start that fails.
  await using opened = new AsyncDisposableStack();
  const servers = opened.use(new ClosedTogether());
  const tracing = await startTracing(config, { service: 'proxy', onFailure: warnings.tracesLost });
  servers.add(tracing, (each) => each?.stop());
  const database = servers.add(openPostgres(config, logger, connections.reads), (each) => each.close());
  const writes = servers.add(openPostgres(config, logger, connections.writes), (each) => each.close());
  const readiness = createReadiness(config, database.pool, logger, () => outbox);
  opened.defer(() => readiness.stop());
  const opsAt = { ...config, host: config.opsHost, port: config.opsPort };
  const ops = servers.add(await startOpsServer(opsAt, metrics.registry, readiness), (each) => each.stop(0));
  opened.use(await keepMadeKeys(listEndpoints(config.providers), logger));
  const bus = servers.add(await connectNats(config, logger), (each) => each.close());
  const clients = openRedis(config, logger);
  opened.defer(() => clients.redis.disconnect());
  opened.defer(() => clients.budgetRedis.disconnect());
  const setup = { config, logger, metrics, warnings, tracing, load, bodyMemory };
  const context = opened.use(createContext(setup, { pool: database.pool, writes: writes.pool, bus, ...clients }));
  outbox = context.outbox;
  if (config.killRunning) {
    opened.defer(watchRunning(context));
    opened.defer(watchRunning({ ...context, runningRequests: context.background.running }));
  }

  const readPrices = () => {
    const prices = loadPrices(config.pricesFile, config.providers);
    context.metering.usePrices(prices);
    logPrices(prices, logger);
  };
  priceFile = opened.use(followSettingFile(config.pricesFile, readPrices, warnings.pricesRefused));
  opened.use(followSetting(config, 'checkSecret', proxyConfigSchema.shape.checkSecret, logger));
  opened.use(followProviderKeys(listEndpoints(config.providers), logger));
  opened.defer(keepNotingKeys(listEndpoints(config.providers), writes.pool, warnings.keysNotNoted));
  logConfig(config, logger);
  await openReadyConnections(database.pool, writes.pool, clients.budgetRedis);
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

/** Closes all at once: a server that does not answer must not hold up the others. */
class ClosedTogether implements AsyncDisposable {
  readonly #closings: (() => unknown)[] = [];

  add<Opened>(opened: Opened, close: (opened: Opened) => unknown): Opened {
    this.#closings.push(() => close(opened));
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#closings.map(async (close) => close()));
  }
}

/** In milliseconds: statements of admission end by themselves so much later than the requests that gave them up. */
const statementMarginMs = 100;

/** To Postgres: a disk that stalls uses up those of writes, and admissions are read by the others. */
const connections = { reads: 6, writes: 4 };

function openPostgres(config: ProxyConfig, logger: Logger, maxConnections: number): Database {
  return openDatabase({
    url: readUrlAgain(config, 'databaseUrl', logger),
    applicationName: 'agp-proxy',
    maxConnections,
    statementTimeoutMs: config.storageTimeoutMs + statementMarginMs,
    usesIndexesOnly: true,
    onConnectionError: logLostConnection(logger),
  });
}

/** Nobody's. */
const nobody = { agentId: '00000000-0000-0000-0000-000000000000', tokenId: null, claim: null, sessionId: null };

/** Asks what first requests ask: on a new connection that is slow, since Postgres reads its catalogues first. */
async function rehearse(pool: Pool): Promise<void> {
  await readAdmissions(pool, [nobody]);
  for (const kind of ['identity', 'policy', 'budget'] as const) await readDocumentsAt(pool, kind);
  await findNameOwner(pool, '');
}

/** In milliseconds: Redis may be away, but strict caps would refuse what comes before it is connected. */
const redisReadyMs = 1_000;

/** Opens all connections, so that a burst of first requests waits for none. */
async function openReadyConnections(pool: Pool, writes: Pool, redis: Redis): Promise<void> {
  const isReady = redis.status === 'ready' ? null : new Promise((resolve) => redis.once('ready', resolve));
  await Promise.allSettled([
    ...Array.from({ length: pool.options.max }, () => rehearse(pool)),
    ...Array.from({ length: writes.options.max }, () => findNameOwner(writes, '')),
    isReady && withTimeout(isReady, redisReadyMs),
  ]);
}

/** Waits until NATS is there. */
function connectNats(config: ProxyConfig, logger: Logger): Promise<BusConnection> {
  return connectBus({
    url: readUrlAgain(config, 'natsUrl', logger),
    caFile: config.natsCaFile,
    name: 'agp-proxy',
    onStatus: logBusStatus(logger),
  });
}

/** Redis may be away; only the first of the two connections logs that. */
function openRedis(config: ProxyConfig, logger: Logger): { redis: Redis; budgetRedis: Redis } {
  const server = { url: readUrlAgain(config, 'redisUrl', logger), caFile: config.redisCaFile };
  const { redisTimeoutMs } = config;
  return {
    redis: connectRedis({ ...server, commandTimeoutMs: redisTimeoutMs, onStatus: logRedisStatus(logger) }),
    // Requests wait for its commands, so they time out sooner.
    budgetRedis: connectRedis({ ...server, commandTimeoutMs: redisTimeoutMs ?? budgetTimeoutMs }),
  };
}

/** NATS must have been there once; later the outbox bridges its absence, which must not make every replica unready. */
function createReadiness(
  { audit }: Pick<ProxyConfig, 'audit'>,
  pool: Pool,
  logger: Logger,
  findOutbox: () => Outbox | null,
): Readiness {
  const checks = {
    ...createStorageChecks(pool),
    nats: async () => {
      if (findOutbox() === null) throw new Error('not connected yet');
    },
    outbox: async () => {
      const outbox = findOutbox();
      if (audit === 'strict' && outbox && outbox.size >= outbox.capacity) throw new Error('the outbox is full');
    },
  };
  return new Readiness(checks, { onChange: logReadiness(logger) });
}
