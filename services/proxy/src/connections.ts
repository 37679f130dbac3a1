import { type BusConnection, connectBus, logBusStatus } from '@agp/bus';
import { type Database, openDatabase, type Pool } from '@agp/db';
import { budgetTimeoutMs, connectRedis, type Redis } from '@agp/reservations';
import { type Logger, logLostConnection, logRedisStatus } from '@agp/runtime';
import type { ProxyConfig } from './config.ts';

/** Closes all at once: a server that does not answer must not hold up the others. */
export class ClosedTogether implements AsyncDisposable {
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

export function openPostgres(config: ProxyConfig, logger: Logger): Database {
  return openDatabase({
    url: config.databaseUrl,
    applicationName: 'agp-proxy',
    statementTimeoutMs: config.storageTimeoutMs + statementMarginMs,
    usesIndexesOnly: true,
    onConnectionError: logLostConnection(logger),
  });
}

/** Connections to Postgres made before the first request: under full load it would wait while all are made at once. */
const readyConnections = 5;

export async function openReadyConnections(pool: Pool): Promise<void> {
  await Promise.allSettled(Array.from({ length: readyConnections }, () => pool.query('SELECT 1')));
}

/** Waits until NATS is there. */
export function connectNats(config: ProxyConfig, logger: Logger): Promise<BusConnection> {
  return connectBus({
    url: config.natsUrl,
    urlFile: config.natsUrlFile,
    caFile: config.natsCaFile,
    name: 'agp-proxy',
    onStatus: logBusStatus(logger),
  });
}

/** Redis may be away; only the first of the two connections logs that. */
export function openRedis(config: ProxyConfig, logger: Logger): { redis: Redis; budgetRedis: Redis } {
  const server = { url: config.redisUrl, caFile: config.redisCaFile };
  const { redisTimeoutMs } = config;
  return {
    redis: connectRedis({ ...server, commandTimeoutMs: redisTimeoutMs, onStatus: logRedisStatus(logger) }),
    // Requests wait for its commands, so they time out sooner.
    budgetRedis: connectRedis({ ...server, commandTimeoutMs: redisTimeoutMs ?? budgetTimeoutMs }),
  };
}
