import { type Database, openDatabase } from '@agp/db';
import { createLogger, loadConfig } from '@agp/runtime';
import { managementConfigSchema, writerConfigSchema } from '@agp/settings';
import { type Link, type ServiceUrls, startLink, startTestStack, type TestStack, type TlsFiles } from '@agp/testing';
import { startManagement } from '../../services/management/src/start-management.ts';
import { loadProxyConfig } from '../../services/proxy/src/config.ts';
import { startProxy } from '../../services/proxy/src/start-proxy.ts';
import { startWriter } from '../../services/writer/src/start-writer.ts';
import { makeEventStream } from './make-event-stream.ts';

export { waitFor } from '@agp/testing';

/** A service that listens. */
export interface RunningService {
  url: string;
  /** Health and metrics. */
  opsUrl: string;
  /** Stops it as SIGTERM does, and waits for a clean end. */
  stop(): Promise<void>;
}

export type ServiceName = 'proxy' | 'writer' | 'management';

export interface SystemOptions {
  proxies?: number;
  writers?: number;
  /** False starts none; then `api` and `management` cannot be used. */
  management?: boolean;
  /** Variables for every service, for example `PROVIDER_OPENAI_URL`. */
  environment?: Record<string, string>;
  /** With no writers: whether one was there once, and has left its event stream. True if not given. */
  eventStream?: boolean;
  /** A Postgres of this system's own, for tests that stop it, or a primary and its standby. */
  ownPostgres?: boolean | 'pair';
  /** Three NATS servers, with streams of three copies. */
  nats?: 'cluster';
  /** Two Redis servers and a sentinel. */
  redis?: 'pair';
  /** Where that Postgres has its data. */
  postgresFolder?: string;
  /** Where NATS has its streams. */
  natsFolder?: string;
  /** Does something to the database before a service starts; its URL may do everything there. */
  prepareDatabase?: (databaseUrl: string) => Promise<void>;
  /** Where Redis has its users. */
  redisFolder?: string;
  /** Services reach their servers over links, which a test makes slow or cuts. */
  links?: boolean;
  /** Servers of this system's own speak TLS, and services take only what this authority vouches for. */
  tls?: { server: TlsFiles; caFile: string };
}

/** The ways from all services to each server. */
export interface SystemLinks {
  postgres: Link;
  nats: Link;
  redis: Link;
}

type Clusters = 'natsCluster' | 'redisPair' | 'postgresPair';

/** The servers: each alone, or where that was asked for as a cluster. The other form is undefined. */
export type SystemStack = Omit<TestStack<{ nats: true; redis: true; ownPostgres: true }>, Clusters> &
  Pick<TestStack<{ nats: 'cluster'; redis: 'pair'; ownPostgres: 'pair' }>, Clusters>;

/** The whole product on servers of its own. */
export interface System<Service extends RunningService = RunningService> extends AsyncDisposable {
  stack: SystemStack;
  /** There only if they were asked for. */
  links: SystemLinks;
  proxies: Service[];
  writers: Service[];
  management: Service;
  /** A key with every scope. */
  apiKey: string;
  /** For looking at what was recorded, and for what ops do by SQL. */
  database: Database;
  /** Starts one more service, with further variables. Rejects when it cannot start. */
  start(name: ServiceName, environment?: Record<string, string>): Promise<Service>;
  /** The variables that `start` gives a service. */
  toEnvironment(name: ServiceName): Record<string, string>;
  /** A call of the management API with the key. Rejects when the answer is not 2xx. */
  api<Answer>(path: string, init?: RequestInit): Promise<Answer>;
}

/** Starts one service with these variables, and no others. */
export type Launch<Service extends RunningService> = (
  name: ServiceName,
  environment: Record<string, string>,
) => Promise<Service>;

/** In `npm test` a starved machine is late, not red: a deadline has a test of its own, which sets it. `npm run prove` keeps the product's own. */
const patience: Record<string, string> =
  process.env.VITEST === undefined
    ? {}
    : { STORAGE_TIMEOUT_MS: '120000', REDIS_TIMEOUT_MS: '60000', PII_BUDGET_MS: '20000' };

const apiKey = 'agm_test-key-with-every-scope-0123456789';

/** Vitest shows what goes to the console only for a test that failed. */
const toConsole = (line: string) => console.log(line.trimEnd());

type Launcher = (environment: Record<string, string>, log: (line: string) => void) => Promise<Partial<RunningService>>;

const launchers: Record<ServiceName, Launcher> = {
  proxy(environment, log) {
    const config = loadProxyConfig(environment);
    return startProxy(config, { logger: createLogger('proxy', config.logLevel, { write: log }) });
  },
  writer(environment, log) {
    const config = loadConfig(writerConfigSchema, environment);
    return startWriter(config, { logger: createLogger('writer', config.logLevel, { write: log }) });
  },
  management(environment, log) {
    const config = loadConfig(managementConfigSchema, environment);
    return startManagement(config, { logger: createLogger('management', config.logLevel, { write: log }) });
  },
};

/** Starts services within this process; `running` has those that are not stopped yet, and `log` takes their lines. */
export const launchWithin =
  (running: Set<RunningService>, log = toConsole): Launch<RunningService> =>
  async (name, environment) => {
    let started: Partial<RunningService> | undefined = await launchers[name](environment, log);
    const { url = '', opsUrl = url } = started;
    const service = {
      url,
      opsUrl,
      stop: async () => {
        running.delete(service);
        await started?.stop?.();
        // A test file keeps its variables for as long as the run lasts: not the service, whose caches are megabytes.
        started = undefined;
      },
    };
    running.add(service);
    return service;
  };

/** Stops services of {@link launchWithin}. */
export async function stopAllOf(running: Set<RunningService>): Promise<void> {
  await Promise.all([...running].map((service) => service.stop()));
}

/**
 * Starts the services within this process, with throw-away data and only providers simulated. `startProcesses` is for tests
 * that kill a service or read what it prints.
 */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const running = new Set<RunningService>();
  return assembleSystem(options, launchWithin(running), () => stopAllOf(running));
}

/** Servers, database and services, which `launch` starts and `stopAll` ends. */
export async function assembleSystem<Service extends RunningService>(
  options: SystemOptions,
  launch: Launch<Service>,
  stopAll: () => Promise<void>,
): Promise<System<Service>> {
  const stack = (await startTestStack({
    nats: options.nats ?? true,
    redis: options.redis ?? true,
    ownPostgres: options.ownPostgres ?? false,
    ...(options.tls && { tls: options.tls.server }),
    ...(options.postgresFolder && { postgresFolder: options.postgresFolder }),
    ...(options.natsFolder && { natsFolder: options.natsFolder }),
    ...(options.redisFolder && { redisFolder: options.redisFolder }),
  })) as unknown as System['stack'];
  await options.prepareDatabase?.(stack.databaseUrl);
  const links = options.links ? await startLinks(stack) : undefined;
  const replicas = options.nats === 'cluster' ? { EVENT_STREAM_REPLICAS: '3' } : {};
  const toEnvironment = (name: ServiceName) => ({
    ...toVariables(stack.urls[name], links),
    ...(options.tls && toTlsVariables(stack.urls[name], options.tls.caFile)),
    ...replicas,
    ...options.environment,
  });
  const start = (name: ServiceName, more: Record<string, string> = {}) =>
    launch(name, { ...toEnvironment(name), ...more });
  const startMany = (name: ServiceName, count: number) => Promise.all(Array.from({ length: count }, () => start(name)));
  const database = openDatabase({ url: stack.databaseUrl, applicationName: 'agp-test', maxConnections: 4 });
  const stop = async () => {
    await stopAll();
    await database.close();
    await Promise.all(Object.values(links ?? {}).map((link: Link) => link[Symbol.asyncDispose]()));
    await stack[Symbol.asyncDispose]();
  };
  try {
    if (options.writers === 0 && options.eventStream !== false) await makeEventStream(stack.natsUrl);
    const [management, proxies, writers] = await Promise.all([
      options.management === false ? (undefined as never) : start('management'),
      startMany('proxy', options.proxies ?? 1),
      startMany('writer', options.writers ?? 1),
    ]);
    const api = async <Answer>(path: string, init: RequestInit = {}) => {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        ...(init.body ? { 'content-type': 'application/json' } : {}),
      };
      const answer = await fetch(`${management.url}${path}`, { ...init, headers });
      if (!answer.ok) throw new Error(`${init.method ?? 'GET'} ${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Answer;
    };
    return {
      stack,
      links: links as SystemLinks,
      proxies,
      writers,
      management,
      apiKey,
      database,
      start,
      toEnvironment,
      api,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startLinks({ databaseUrl, natsUrl, redisUrl }: System['stack']): Promise<SystemLinks> {
  const [postgres, nats, redis] = await Promise.all([startLink(databaseUrl), startLink(natsUrl), startLink(redisUrl)]);
  return { postgres, nats, redis };
}

const toTlsVariables = ({ databaseUrl }: ServiceUrls, caFile: string) => ({
  DATABASE_URL: `${databaseUrl}?sslmode=verify-full&sslrootcert=${caFile}`,
  NATS_CA_FILE: caFile,
  REDIS_CA_FILE: caFile,
});

const toVariables = ({ databaseUrl, natsUrl, redisUrl }: ServiceUrls, links?: SystemLinks) => ({
  DATABASE_URL: links?.postgres.over(databaseUrl) ?? databaseUrl,
  NATS_URL: links?.nats.over(natsUrl) ?? natsUrl,
  REDIS_URL: links?.redis.over(redisUrl) ?? redisUrl,
  HOST: '127.0.0.1',
  OPS_HOST: '127.0.0.1',
  PROXY_PORT: '0',
  MANAGEMENT_PORT: '0',
  OPS_PORT: '0',
  MANAGEMENT_API_KEY: apiKey,
  LOG_LEVEL: 'error',
  SHUTDOWN_GRACE_SECONDS: '10',
  ...patience,
});
