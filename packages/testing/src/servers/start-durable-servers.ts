import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLocalStackConfig, runMigrations } from '@agp/local-stack';
import { findServer, openGuard, startNats, startPostgres, startRedis } from '@agp/local-stack/servers';
import { makeNatsPasswords, makeRedisPasswords } from '@agp/operator';
import { createDatabase } from './databases.ts';
import { preparePostgresKit } from './throw-away-postgres.ts';

export interface DurableServers extends AsyncDisposable {
  databaseUrl: string;
  natsUrl: string;
  redisUrl: string;
}

/** Starts private servers that write as durably as real ones, for benchmarks. Their data is thrown away at the end. */
export async function startDurableServers(
  environment: NodeJS.ProcessEnv,
  postgresSettings: readonly string[] = [],
): Promise<DurableServers> {
  const config = readLocalStackConfig(environment, (line) => console.log(line));
  const guard = openGuard();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'agp-bench-'));
    guard.removeFolder(folder);
    const kit = await preparePostgresKit(config, guard);
    const [natsBinary, redisBinary] = await Promise.all([findServer('nats', config), findServer('redis', config)]);
    const [postgres, nats, redis] = await Promise.all([
      startPostgres(kit.pristine, { ...kit, guard, settings: postgresSettings }),
      startNats(natsBinary, join(folder, 'nats'), { guard, passwords: makeNatsPasswords() }),
      startRedis(redisBinary, join(folder, 'redis'), { guard, passwords: makeRedisPasswords() }),
    ]);
    const databaseUrl = await createDatabase(postgres.url, 'agp');
    await runMigrations(databaseUrl);
    return { databaseUrl, natsUrl: nats.url, redisUrl: redis.url, [Symbol.asyncDispose]: () => guard.stop() };
  } catch (error) {
    await guard.stop();
    throw error;
  }
}
