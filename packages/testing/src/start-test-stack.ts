import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startNats, startRedis, type TlsFiles } from '@agp/local-stack/servers';
import {
  makeNatsPasswords,
  makeRedisPasswords,
  type RoleUrls,
  toDatabaseUrls,
  toRoleUrls,
  toUserUrls,
} from '@agp/operator';
import { inject } from 'vitest';
import { type NatsCluster, startNatsCluster } from './clusters/start-nats-cluster.ts';
import { type PostgresPair, startPostgresPair } from './clusters/start-postgres-pair.ts';
import { type RedisPair, startRedisPair } from './clusters/start-redis-pair.ts';
import { type TestServers, templateName } from './global-setup.ts';
import { openTestGuard } from './open-test-guard.ts';
import { sendToRedis } from './send-to-redis.ts';
import { createDatabase, runSql } from './servers/databases.ts';
import { controlServer, type Server } from './servers/server.ts';
import { startThrowAwayPostgres } from './servers/throw-away-postgres.ts';

export { findFreePort, type TlsFiles } from '@agp/local-stack/servers';
export type { RoleUrls, ServiceUrls } from '@agp/operator';
export type { NatsCluster, NatsNode } from './clusters/start-nats-cluster.ts';
export type { PostgresPair } from './clusters/start-postgres-pair.ts';
export type { RedisPair } from './clusters/start-redis-pair.ts';
export { type Relay, startRelay } from './clusters/start-relay.ts';
export { explainSkip } from './explain-skip.ts';
export { startTestServers } from './global-setup.ts';
export { type CodingAgent, installCodingAgents } from './install-coding-agents.ts';
export { makeTestAuthority, type TestAuthority } from './make-test-authority.ts';
export { readRefusal, refusalText } from './read-refusal.ts';
export { childEnvironment, runCommandWithin } from './run-command-within.ts';
export { runSql } from './servers/databases.ts';
export type { Server } from './servers/server.ts';
export { startBlankPostgres } from './start-blank-postgres.ts';
export { type Link, type LinkWeather, startLink } from './start-link.ts';
export { startSquid } from './start-squid.ts';
export { findPromtool, startTestPrometheus } from './start-test-prometheus.ts';
export { eventually, longestWaitMs, waitFor } from './wait-for.ts';

interface TestStackOptions {
  /** Starts a NATS server with JetStream of this stack's own, or three that are a cluster. */
  nats?: boolean | 'cluster';
  /** Starts a Redis server of this stack's own, or two and a sentinel. */
  redis?: boolean | 'pair';
  /** Starts a Postgres server of this stack's own, for tests that stop it (about a second), or a primary and its standby. */
  ownPostgres?: boolean | 'pair';
  /** Where that Postgres has its data, which its account must be able to write; a folder of the run if not given. */
  postgresFolder?: string;
  /** The same of NATS. */
  natsFolder?: string;
  /** Where Redis has its users, in `users.acl`. */
  redisFolder?: string;
  /** Lets each server that is this stack's own speak nothing but TLS. */
  tls?: TlsFiles;
}

/** As in a Redis that has run for a while: strict caps wait for one that may have lost something. */
const markWhole = `EVAL "redis.call('SET','agp:{budget}:since',string.match(redis.call('INFO','server'),'run_id:(%w+)')..'|1')" 0`;

let serversOfRun: TestServers | undefined;

/** Names what the stacks share in a process that vitest does not run, instead of its global setup. */
export function useTestServers(servers: TestServers): void {
  serversOfRun = servers;
}

type UrlIf<Asked> = Asked extends true | string ? string : undefined;

/** Real servers with throw-away data, for one test or one file. */
export interface TestStack<Options extends TestStackOptions> extends AsyncDisposable {
  /** A migrated database of this stack's own. This URL and the next two may do everything there. */
  databaseUrl: string;
  natsUrl: UrlIf<Options['nats']>;
  redisUrl: UrlIf<Options['redis']>;
  /** Where the services and others connect, with the rights of their roles; undefined if that server was not asked for. */
  urls: RoleUrls<UrlIf<Options['nats']>, UrlIf<Options['redis']>>;
  nats: Options['nats'] extends true ? Server : undefined;
  redis: Options['redis'] extends true ? Server : undefined;
  postgres: Options['ownPostgres'] extends true ? Server : undefined;
  natsCluster: Options['nats'] extends 'cluster' ? NatsCluster : undefined;
  redisPair: Options['redis'] extends 'pair' ? RedisPair : undefined;
  postgresPair: Options['ownPostgres'] extends 'pair' ? PostgresPair : undefined;
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
  const serverOptions = { guard, stopSignals: [], tls: options.tls };
  const [natsPasswords, redisPasswords] = [makeNatsPasswords(), makeRedisPasswords()];
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  try {
    guard.removeFolder(folder);
    const inFolder = (kind: string) => join(folder, kind);
    const [nats, natsCluster, redis, redisPair, database] = await Promise.all([
      options.nats === true
        ? startNats(shared.nats, options.natsFolder ?? inFolder('nats'), {
            ...serverOptions,
            passwords: natsPasswords,
          }).then((server) => controlServer(server))
        : undefined,
      options.nats === 'cluster'
        ? startNatsCluster(shared.nats, inFolder('nats'), { guard, passwords: natsPasswords })
        : undefined,
      options.redis === true
        ? startRedis(shared.redis, options.redisFolder ?? inFolder('redis'), {
            ...serverOptions,
            passwords: redisPasswords,
          }).then((server) => controlServer(server))
        : undefined,
      options.redis === 'pair'
        ? startRedisPair(shared.redis, inFolder('redis'), { guard, passwords: redisPasswords })
        : undefined,
      startDatabase(name),
    ]);
    const { databaseUrl } = database;
    const master = redis ?? redisPair?.master;
    if (master && !options.tls) await sendToRedis(master.url, markWhole);
    const stop = async () => {
      try {
        await Promise.all([natsCluster?.[Symbol.asyncDispose](), database.postgresPair?.[Symbol.asyncDispose]()]);
        if (!options.ownPostgres) await runSql(shared.postgresUrl, `DROP DATABASE "${name}" WITH (FORCE)`);
      } finally {
        await guard.stop();
      }
    };
    const natsUrl = nats?.url ?? natsCluster?.url;
    const redisUrl = redis?.url ?? redisPair?.url;
    const urls = toRoleUrls({
      databaseUrl: toDatabaseUrls(databaseUrl, shared.passwords),
      natsUrl: natsUrl ? toUserUrls(natsUrl, natsPasswords) : () => undefined,
      redisUrl: redisUrl ? toUserUrls(redisUrl, redisPasswords) : () => undefined,
    });
    const servers = { nats, natsCluster, redis, redisPair, ...database, natsUrl, redisUrl, urls };
    return { ...servers, [Symbol.asyncDispose]: stop } as unknown as TestStack<Options>;
  } catch (error) {
    await guard.stop();
    throw error;
  }

  async function startDatabase(name: string) {
    if (options.ownPostgres === 'pair') {
      const postgresPair = await startPostgresPair(shared.postgres, guard);
      const url = await createDatabase(postgresPair.primary.url, name, templateName, 'agp_migrator');
      return { postgresPair, databaseUrl: Object.assign(new URL(url), { host: postgresPair.endpoint }).href };
    }
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
