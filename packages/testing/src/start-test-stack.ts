import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Server, TlsFiles } from '@agp/local-stack/servers';
import { createDatabase, dropDatabase, startNats, startRedis, startThrowAwayPostgres } from '@agp/local-stack/servers';
import {
  makeNatsPasswords,
  makeRedisPasswords,
  type RoleUrls,
  toDatabaseUrls,
  toRoleUrls,
  toUserUrls,
} from '@agp/operator';
import { inject } from 'vitest';
import { type TestServers, templateName } from './global-setup.ts';
import { openTestGuard } from './open-test-guard.ts';

export type { Server, TlsFiles } from '@agp/local-stack/servers';
export { findFreePort } from '@agp/local-stack/servers';
export type { RoleUrls, ServiceUrls } from '@agp/operator';
export { childEnvironment } from './child-environment.ts';
export { explainSkip } from './explain-skip.ts';
export { startTestServers } from './global-setup.ts';
export { makeTestAuthority, type TestAuthority } from './make-test-authority.ts';
export { runCommandWithin } from './run-command-within.ts';
export { startBlankPostgres } from './start-blank-postgres.ts';
export { type Link, type LinkWeather, startLink } from './start-link.ts';
export { findPromtool, startTestPrometheus } from './start-test-prometheus.ts';

export interface TestStackOptions {
  /** Starts a NATS server with JetStream of this stack's own. */
  nats?: boolean;
  /** Starts a Redis server of this stack's own. */
  redis?: boolean;
  /** Starts a Postgres server of this stack's own, for tests that stop it. About a second. */
  ownPostgres?: boolean;
  /** Where that Postgres has its data, which its account must be able to write; a folder of the run if not given. */
  postgresFolder?: string;
  /** Lets each server that is this stack's own speak nothing but TLS. */
  tls?: TlsFiles;
}

let serversOfRun: TestServers | undefined;

/** Names what the stacks share in a process that vitest does not run, instead of its global setup. */
export function useTestServers(servers: TestServers): void {
  serversOfRun = servers;
}

/** Real servers with throw-away data, for one test or one file. */
export interface TestStack<Options extends TestStackOptions> extends AsyncDisposable {
  /** A migrated database of this stack's own. This URL and the next two may do everything there. */
  databaseUrl: string;
  natsUrl: Options['nats'] extends true ? string : undefined;
  redisUrl: Options['redis'] extends true ? string : undefined;
  /** Where the services and others connect, with the rights of their roles; undefined where that server was not asked for. */
  urls: RoleUrls<Options['nats'] extends true ? string : undefined, Options['redis'] extends true ? string : undefined>;
  nats: Options['nats'] extends true ? Server : undefined;
  redis: Options['redis'] extends true ? Server : undefined;
  postgres: Options['ownPostgres'] extends true ? Server : undefined;
}

/**
 * Starts the servers that a test needs in addition to the Postgres that the whole run shares. Use it with `await using`; servers
 * that are not disposed of end with the process.
 */
export async function startTestStack<const Options extends TestStackOptions>(
  options: Options = {} as Options,
): Promise<TestStack<Options>> {
  const shared = serversOfRun ?? inject('agpTestServers');
  const guard = openTestGuard();
  const folder = join(shared.folder, randomUUID());
  const serverOptions = { guard, throwAway: true, tls: options.tls };
  const [natsPasswords, redisPasswords] = [makeNatsPasswords(), makeRedisPasswords()];
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  try {
    guard.removeFolder(folder);
    const [nats, redis, { postgres, databaseUrl }] = await Promise.all([
      options.nats
        ? startNats(shared.nats, join(folder, 'nats'), { ...serverOptions, passwords: natsPasswords })
        : undefined,
      options.redis
        ? startRedis(shared.redis, join(folder, 'redis'), { ...serverOptions, passwords: redisPasswords })
        : undefined,
      startDatabase(name),
    ]);
    const stop = async () => {
      try {
        if (!options.ownPostgres) await dropDatabase(shared.postgresUrl, name);
      } finally {
        await guard.stop();
      }
    };
    const urls = toRoleUrls({
      databaseUrl: toDatabaseUrls(databaseUrl, shared.passwords),
      natsUrl: nats ? toUserUrls(nats.url, natsPasswords) : () => undefined,
      redisUrl: redis ? toUserUrls(redis.url, redisPasswords) : () => undefined,
    });
    const servers = { nats, redis, postgres, natsUrl: nats?.url, redisUrl: redis?.url, urls };
    return { databaseUrl, ...servers, [Symbol.asyncDispose]: stop } as unknown as TestStack<Options>;
  } catch (error) {
    await guard.stop();
    throw error;
  }

  async function startDatabase(name: string) {
    const postgres = options.ownPostgres
      ? await startThrowAwayPostgres(
          { ...shared.postgres, ...(options.postgresFolder && { folder: options.postgresFolder }) },
          guard,
          options.tls,
        )
      : undefined;
    const databaseUrl = await createDatabase(postgres?.url ?? shared.postgresUrl, name, templateName, 'agp_migrator');
    return { postgres, databaseUrl };
  }
}
