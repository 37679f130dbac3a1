import { createStorageChecks, type DatabaseOptions, openGuardedDatabase, shareDatabase } from '@agp/db';
import { connectRedis, createBudgetReservations, createThrottle } from '@agp/reservations';
import {
  ConfigError,
  createCallerGuard,
  createLogger,
  describeFailure,
  followSetting,
  followSettingFile,
  type Logger,
  logLostConnection,
  logReadiness,
  logRedisStatus,
  Readiness,
  readUrlAgain,
  type Service,
  startHttpServer,
  startOpsServer,
  toStopLimit,
  waitForDrain,
} from '@agp/runtime';
import { createEgress } from '@agp/runtime/egress';
import { GuardedReader } from '@agp/runtime/guarded-reader';
import { findOidcFault, type ManagementConfig, managementConfigSchema } from '@agp/settings';
import { AlertWatch } from './alerts/alert-watch.ts';
import { Notifier, type NotifierOverrides } from './alerts/notifier.ts';
import { isPagePath, readConsoleFiles } from './console/console-files.ts';
import { createSignIns, listAllowedHosts } from './console/sign-ins.ts';
import { createApp } from './create-app.ts';
import { BillKeeper } from './jobs/bill-keeper.ts';
import { BudgetCounter } from './jobs/budget-counter.ts';
import { keepEndingBlocks } from './jobs/keep-ending-blocks.ts';
import { MonthlyReports } from './jobs/monthly-reports.ts';
import { type Caller, waitForBootstrapKey } from './keys.ts';
import { connections, failureLimit, issuerMs, longestCountMs, shareOfReads, signInLimit } from './limits.ts';
import { createNameFinder, findTeamAgents } from './live/agent-names.ts';
import { followAlerts } from './live/follow-alerts.ts';
import { endRevokedStreams, followRecordings, type Recordings } from './live/follow-recordings.ts';
import { LiveStreams } from './live/live-streams.ts';
import { createMetrics } from './metrics.ts';
import { createPriceReader } from './reads/prices.ts';
import { StatusReader, watchCapUse } from './reads/status-reader.ts';
import { TokenTrier } from './reads/try-token.ts';
import { listRoutes } from './routes/index.ts';

interface ManagementOverrides {
  logger?: Logger;
  keepaliveMs?: number;
  /** Has the `PROVIDER_<ID>_URL` of the proxies. */
  environment?: NodeJS.ProcessEnv;
  notifier?: NotifierOverrides;
}

export interface ManagementService extends Service {
  opsUrl: string;
}

/** Pages that people may open by a link from another site, and where an OpenID provider sends them back. */
const isPage = (path: string) =>
  ['/docs', '/docs/', '/openapi.json', '/console/oidc/callback'].includes(path) || isPagePath(path);

const keepaliveMs = 15_000;

/**
 * Starts the management API as soon as Postgres is reachable; health and metrics are served at once. Without NATS everything works but the
 * live stream. Throws ConfigError if a setting is wrong that only storage or the other settings show.
 */
export async function startManagement(
  config: ManagementConfig,
  overrides: ManagementOverrides = {},
): Promise<ManagementService> {
  const oidcFault = findOidcFault(config);
  if (oidcFault !== null) throw new ConfigError(oidcFault);
  const readPrices = createPriceReader(config, overrides.environment ?? {});
  const logger = overrides.logger ?? createLogger('management', config.logLevel);
  await using opened = new AsyncDisposableStack();
  opened.use(
    followSettingFile(config.pricesFile, readPrices.readAgain, ({ message: error }) =>
      logger.warn({ error }, 'PRICES_FILE is refused as a whole: the list shows what was read before'),
    ),
  );

  const databaseUrl = readUrlAgain(config, 'databaseUrl', logger);
  const openPool = (maxConnections: number, options: Partial<DatabaseOptions> = {}) => {
    const opening = openGuardedDatabase({
      url: databaseUrl,
      applicationName: 'agp-management',
      maxConnections,
      statementTimeoutMs: config.storageTimeoutMs,
      onConnectionError: logLostConnection(logger),
      ...options,
    });
    opened.defer(() => opening.close());
    return opening;
  };
  const database = openPool(connections.changes);
  const reading = openPool(connections.reads);
  const { db } = database;
  // A budget that is counted holds a view of the records for as long.
  const counting = openPool(connections.counts, { statementTimeoutMs: longestCountMs });
  const shares = { ...shareOfReads, waitMs: config.storageTimeoutMs };
  const readsOf = shareDatabase(reading, shares);
  const teamReadsOf = shareDatabase(openPool(connections.teamReads, { ofTeam: true }), shares);
  const teamChangesOf = shareDatabase(openPool(connections.teamChanges, { ofTeam: true }), shares);
  const databaseOf = ({ holder, match }: Caller, isRead: boolean) => {
    if (match === null) return isRead ? readsOf(holder) : db;
    return (isRead ? teamReadsOf : teamChangesOf)(holder, match);
  };
  const streams = new LiveStreams({
    findNames: createNameFinder(readsOf('live streams')),
    findTeam: (team, ids) => findTeamAgents(teamReadsOf(`live streams ${JSON.stringify(team)}`, team), ids),
    keepaliveMs: overrides.keepaliveMs ?? keepaliveMs,
    maxStreamsPerKey: config.maxStreamsPerKey,
  });
  const { registry, observe } = createMetrics(streams, readsOf('metrics'));
  let recordings: Recordings | null = null;
  const readiness = new Readiness(
    {
      ...createStorageChecks(database.pool),
      nats: async () => {
        if (recordings === null) throw new Error('not connected yet');
        await recordings.check();
      },
    },
    // The kill switch must not leave the Service with it.
    { dispensable: ['nats'], onChange: logReadiness(logger) },
  );
  opened.defer(() => readiness.stop());
  const ops = await startOpsServer({ ...config, host: config.opsHost, port: config.opsPort }, registry, readiness);
  opened.defer(() => ops.stop(0));
  await waitForBootstrapKey(db, config.managementApiKey, logger);

  const { shape } = managementConfigSchema;
  const ending = new AbortController();
  opened.defer(() => ending.abort());
  const useKey = (secret: string) =>
    void waitForBootstrapKey(db, secret, logger, ending.signal).catch((error) => {
      if (!ending.signal.aborted) logger.error({ error: describeFailure(error) }, 'MANAGEMENT_API_KEY_FILE is refused');
    });
  opened.use(followSetting(config, 'managementApiKey', shape.managementApiKey, logger, useKey));
  opened.use(followSetting(config, 'smtpUrl', shape.smtpUrl, logger));
  opened.use(followSetting(config, 'oidcClientSecret', shape.oidcClientSecret, logger));
  opened.use(followSetting(config, 'billingOpenaiKey', shape.billingOpenaiKey, logger));
  opened.use(followSetting(config, 'billingAnthropicKey', shape.billingAnthropicKey, logger));

  const redisUrl = readUrlAgain(config, 'redisUrl', logger);
  const redis = connectRedis({
    url: redisUrl,
    caFile: config.redisCaFile,
    commandTimeoutMs: config.redisTimeoutMs,
    onStatus: logRedisStatus(logger),
  });
  opened.defer(() => redis.disconnect());
  // A list of all reservations can take long; the throttle of failed authentications must not wait as long.
  const budgetRedis = connectRedis({
    url: redisUrl,
    caFile: config.redisCaFile,
    commandTimeoutMs: config.redisTimeoutMs ?? 2_000,
  });
  opened.defer(() => budgetRedis.disconnect());

  recordings = opened.use(await followRecordings(config, streams, logger));
  opened.defer(endRevokedStreams(db, streams));
  opened.defer(followAlerts(readsOf('live streams'), streams));

  opened.defer(watchCapUse(db, registry));
  opened.defer(keepEndingBlocks(db, logger));
  const counter = new BudgetCounter(counting, logger);
  opened.defer(() => counter.stop());
  const bills = new BillKeeper({ db, records: counting.db, config, logger });
  opened.defer(() => bills.stop());
  const reader = new GuardedReader({
    ...{ allowedHosts: config.identityAllowedHosts, setting: 'IDENTITY_ALLOWED_HOSTS', timeoutMs: issuerMs },
    egress: createEgress(config),
  });
  opened.defer(() => reader.close());
  const notifier = new Notifier(db, config, logger, overrides.notifier);
  opened.defer(() => notifier.stop());
  const alertWatch = new AlertWatch({ db, reads: readsOf('alerts'), notifier, logger });
  opened.defer(() => alertWatch.stop());
  alertWatch.start();
  bills.start();
  const reports = new MonthlyReports({ db, records: counting.db, notifier, logger });
  opened.defer(() => reports.stop());
  reports.start();
  await readiness.look();

  // No key alone can take all connections from it; two busy ones can make it wait.
  const status = new StatusReader({
    dbOf: (team) => (team === null ? readsOf('status') : teamReadsOf(`status ${JSON.stringify(team)}`, team)),
    reasons: () => readiness.reasons,
    without: () => readiness.without,
    pingRedis: () => redis.ping(),
    partMs: 0.4 * config.storageTimeoutMs,
  });
  const app = createApp({
    context: {
      config,
      db,
      counter,
      alertWatch,
      notifier,
      reservations: createBudgetReservations(budgetRedis),
      streams,
      status,
      readPrices,
      tokens: new TokenTrier((url, max) => reader.read(url, max)),
      console: readConsoleFiles(),
      signIns: createSignIns(reading, createThrottle(redis, signInLimit), config.storageTimeoutMs),
    },
    databaseOf,
    routes: listRoutes(),
    failures: createThrottle(redis, failureLimit),
    logger,
    observe,
    callers: createCallerGuard({ ...config, allowedHosts: listAllowedHosts(config), isPage }),
  });
  const http = await startHttpServer(app, { host: config.host, port: config.managementPort }, config.drainDelaySeconds);
  opened.defer(() => http.stop(config.shutdownGraceSeconds * 1_000));
  opened.defer(() => streams.stop());
  readiness.serve();

  logger.info({ url: http.url, opsUrl: ops.url }, 'listening');
  const running = opened.move();
  let stopped: Promise<void> | undefined;
  const drain = async (hurry?: AbortSignal) => {
    readiness.drain();
    http.drain();
    // So that clients have moved when the port closes; who comes back here is served until then.
    streams.endStreams();
    await waitForDrain(config.drainDelaySeconds, hurry);
    await running.disposeAsync();
  };
  const stop = (hurry?: AbortSignal) => {
    stopped ??= drain(hurry);
    return stopped;
  };
  return {
    url: http.url,
    opsUrl: ops.url,
    stopWithinMs: toStopLimit(config),
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}
