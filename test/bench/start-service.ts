import type { ChildProcess } from 'node:child_process';
import type { DurableServers } from '@agp/local-stack';
import { startPinned } from './start-pinned.ts';

/** A service, or a stand-in for one, as a process. */
export interface StartedProcess {
  child: ChildProcess;
  url: string;
  /** Health and metrics; of a stand-in, which has none, the same. */
  opsUrl: string;
}

/**
 * Starts a service on a core; null leaves it where this process is.
 *
 * @param checkout where its source is; this one if left out
 */
export function startService(
  name: 'proxy' | 'writer' | 'management',
  { databaseUrl, natsUrl, redisUrl }: Pick<DurableServers, 'databaseUrl' | 'natsUrl' | 'redisUrl'>,
  core: number | null,
  environment: NodeJS.ProcessEnv = {},
  flags: readonly string[] = [],
  checkout = `${import.meta.dirname}/../..`,
): Promise<StartedProcess> {
  const variables = {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
    OPS_HOST: '127.0.0.1',
    PROXY_PORT: '0',
    MANAGEMENT_PORT: '0',
    OPS_PORT: '0',
    MANAGEMENT_API_KEY: 'agm_bench-key-of-nobody-0123456789',
    LOG_LEVEL: 'warn',
    ...environment,
  };
  return startPinned(`${checkout}/services/${name}/src/main.ts`, variables, core, flags);
}
