import { randomUUIDv7 } from 'node:crypto';
import { createStorageChecks, keepBootstrapKey, openGuardedDatabase } from '@agp/db';
import { connectRedis, createBudgetReservations, createThrottle } from '@agp/reservations';
import {
  ConfigError,
  createLogger,
  type Logger,
  Readiness,
  type Service,
  startHttpServer,
  startOpsServer,
} from '@agp/runtime';
import type { ManagementConfig } from './config.ts';
import { createApp } from './create-app.ts';
import { digestSecret } from './issue-secret.ts';
import { endRevokedStreams } from './live/end-revoked-streams.ts';
import { followRecordings } from './live/follow-recordings.ts';
import { LiveStreams } from './live/live-streams.ts';
import { createMetrics } from './metrics.ts';
import { listRoutes } from './routes/index.ts';
import { watchCapUse } from './watch-cap-use.ts';

export interface ManagementOverrides {
  logger?: Logger;
  /** Silence on a stream before a keepalive comment, in milliseconds. */
  keepaliveMs?: number;
}

export interface ManagementService extends Service {
  opsUrl: string;
}

/** interface.md section 6 */
const keepaliveMs = 15_000;
/** decisions.md section 5: failed authentications of one address in a minute. */
const failureLimit = { name: 'management-auth', points: 100, durationSeconds: 60 };
/** How long running requests may take to end at a stop, in milliseconds. */
const graceMs = 10_000;

/**
 * Starts the management API. Rejects when Postgres or the broker cannot be reached, with nothing left open.
 *
 * @throws ConfigError when the bootstrap key has the secret of another key
 */
export async function startManagement(
  config: ManagementConfig,
  overrides: ManagementOverrides = {},
): Promise<ManagementService> {
  const logger = overrides.logger ?? createLogger('management', config.logLevel);
  await using opened = new AsyncDisposableStack();

  const database = openGuardedDatabase({
    url: config.databaseUrl,
    applicationName: 'agp-management',
    statementTimeoutMs: 5_000,
    onConnectionError: () => logger.warn('a connection to Postgres broke'),
  });
  opened.defer(() => database.close());
  const { db } = database;
  if (!(await keepBootstrapKey(db, randomUUIDv7(), digestSecret(config.managementApiKey)))) {
    throw new ConfigError('MANAGEMENT_API_KEY: is the secret of a key that was made through the API; it needs its own');
  }

  const redis = connectRedis({
    url: config.redisUrl,
    caFile: config.redisCaFile,
    onStatus: (status) => logger.warn({ status }, 'Redis'),
  });
  opened.defer(() => redis.disconnect());
  // A list of all that is reserved can be long; a failed authentication must not wait as long for its throttle.
  const budgetRedis = connectRedis({ url: config.redisUrl, caFile: config.redisCaFile, commandTimeoutMs: 2_000 });
  opened.defer(() => budgetRedis.disconnect());

  const streams = new LiveStreams({ keepaliveMs: overrides.keepaliveMs ?? keepaliveMs });
  const bus = await followRecordings(config, streams, logger);
  opened.defer(() => bus.close());
  opened.defer(endRevokedStreams(db, streams));

  const { registry, observe } = createMetrics(streams);
  opened.defer(watchCapUse(db, registry));
  const readiness = new Readiness({
    ...createStorageChecks(database.pool),
    nats: () => bus.flush(),
  });
  opened.defer(() => readiness.stop());
  await readiness.look();
  const ops = await startOpsServer({ host: config.opsHost, port: config.opsPort }, registry, readiness);
  opened.defer(() => ops.stop(0));

  const app = createApp({
    context: { config, db, reservations: createBudgetReservations(budgetRedis), streams },
    routes: listRoutes(),
    failures: createThrottle(redis, failureLimit),
    logger,
    observe,
  });
  const http = await startHttpServer(app, { host: config.host, port: config.managementPort });
  opened.defer(() => http.stop(graceMs));
  opened.defer(() => streams.stop());
  opened.defer(() => readiness.drain());

  logger.info({ url: http.url, opsUrl: ops.url }, 'listening');
  const running = opened.move();
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= running.disposeAsync();
    return stopped;
  };
  return { url: http.url, opsUrl: ops.url, stop, [Symbol.asyncDispose]: stop };
}
