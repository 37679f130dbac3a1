import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NatsPasswords, RedisPasswords } from '@agp/operator';
import type { LocalStackConfig } from '../local-stack-config.ts';
import { findPostgres, makePostgresReachable } from '../servers/find-postgres.ts';
import { findServer } from '../servers/find-server.ts';
import { startNats } from '../servers/nats.ts';
import { ensureDatabase, initPostgres, postgresUser, removeStalePidFile, startPostgres } from '../servers/postgres.ts';
import { choosePostgresAccount, placePostgres } from '../servers/postgres-folder.ts';
import { startRedis } from '../servers/redis.ts';
import type { ServerOptions } from '../servers/server.ts';
import type { Secrets } from './data-folder.ts';
import { openLogFile } from './logs.ts';

export interface ServerUrls {
  databaseUrl: string;
  natsUrl: string;
  redisUrl: string;
}

/** Starts the servers whose URL is not given, with lasting data under the data folder. */
export async function startServers(
  given: { [Name in keyof ServerUrls]?: string | undefined },
  config: LocalStackConfig,
  secrets: Secrets,
  options: Omit<ServerOptions, 'stopSignals' | 'onLog'>,
): Promise<ServerUrls> {
  const withLog = (name: string): ServerOptions => ({
    ...options,
    onLog: openLogFile(join(config.dataFolder, 'logs', `${name}.log`)),
  });
  const [databaseUrl, natsUrl, redisUrl] = await Promise.all([
    given.databaseUrl ?? startLastingPostgres(config, secrets.postgresPassword, withLog('postgres')),
    given.natsUrl ?? startLastingNats(config, secrets.natsPasswords, withLog('nats')),
    given.redisUrl ?? startLastingRedis(config, secrets.redisPasswords, withLog('redis')),
  ]);
  return { databaseUrl, natsUrl, redisUrl };
}

async function startLastingPostgres(config: LocalStackConfig, password: string, options: ServerOptions) {
  const { folder, account } = placePostgres(config.dataFolder, choosePostgresAccount(), password);
  const data = join(folder, 'data');
  const major = existsSync(data) ? Number(readFileSync(join(data, 'PG_VERSION'), 'utf8')) : undefined;
  const binaries = await makePostgresReachable(findPostgres(config, major), account);
  const all = { ...options, binaries, password, ...(account ? { account } : {}) };
  if (major === undefined) {
    // Renamed once it is complete: an initdb that was cut short leaves nothing that looks like data.
    const partial = join(folder, 'data.partial');
    await rm(partial, { recursive: true, force: true });
    await initPostgres(partial, all);
    await rename(partial, data);
  }
  removeStalePidFile(data);
  const { url } = await startPostgres(data, all);
  return ensureDatabase(url, postgresUser);
}

async function startLastingNats(config: LocalStackConfig, passwords: NatsPasswords, options: ServerOptions) {
  const folder = join(config.dataFolder, 'nats');
  return (await startNats(await findServer('nats', config), folder, { ...options, passwords })).url;
}

async function startLastingRedis(config: LocalStackConfig, passwords: RedisPasswords, options: ServerOptions) {
  const folder = join(config.dataFolder, 'redis');
  return (await startRedis(await findServer('redis', config), folder, { ...options, passwords })).url;
}
