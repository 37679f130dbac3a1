import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { buildConsole } from '@agp/console/build';
import { toLineText } from '@agp/core/text';
import { type RoleUrls, type ServiceUrls, toRoleUrls, toUserUrls } from '@agp/operator';
import {
  commonFields,
  drainDelayField,
  isLoopbackAddress,
  loadConfig,
  portField,
  shutdownGraceField,
  toStopLimit,
} from '@agp/runtime';
import { z } from 'zod';
import type { Guard } from '../guard/guard.ts';
import { type LocalStackConfig, StartError } from '../local-stack-config.ts';
import { prepareDatabase, runMigrations } from '../run-migrations.ts';
import { writeNote } from '../running-servers.ts';
import { probePort } from '../servers/server.ts';
import { loadSecrets, type Secrets } from './data-folder.ts';
import { makeConsoleLink, toReachable } from './make-console-link.ts';
import { type ServerUrls, startServers } from './start-servers.ts';
import { keepService } from './start-service.ts';
import { readOwnProviders, writeProvidersFile } from './write-providers-file.ts';

/** The variables that the local stack itself reads; all others go to the services as they are. */
const startConfigSchema = z.object({
  databaseUrl: commonFields.databaseUrl.optional(),
  natsUrl: commonFields.natsUrl.optional(),
  redisUrl: commonFields.redisUrl.optional(),
  managementApiKey: z.string().min(16).optional(),
  providersFile: z.string().optional(),
  host: z.string().default('127.0.0.1'),
  opsHost: z.string().default('127.0.0.1'),
  proxyPort: portField.default(8080),
  managementPort: portField.default(8081),
  /** The proxy's; management and the writer take the next two, or free ones if it is 0. */
  opsPort: portField.max(65_533, 'must leave room for two more ports').default(9080),
  /** Shorter than in a deployment, because a person waits for it. */
  shutdownGraceSeconds: shutdownGraceField(5),
  drainDelaySeconds: drainDelayField,
  /** Read with the folders, before anything else. */
  agpPostgres: z.literal('embedded', 'must be embedded, or not set').optional(),
});

type StartConfig = z.infer<typeof startConfigSchema>;

function readStartConfig(environment: NodeJS.ProcessEnv): StartConfig {
  return loadConfig(startConfigSchema, environment);
}

/** A port that a service is about to listen on, and the variable that moves it. */
interface WantedPort {
  variable: string;
  hostVariable: string;
  host: string;
  port: number;
}

/** Codes of errors that are of the host, not of the port. */
const hostFaults = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL']);

/** @throws StartError naming the variable of a port that cannot be listened on, or of its host */
export async function checkPorts(wanted: WantedPort[]): Promise<void> {
  const taken = new Map<string, string>();
  for (const { variable, hostVariable, host, port } of wanted) {
    const other = port === 0 ? undefined : taken.get(`${host} ${port}`);
    if (other !== undefined) throw new StartError(`${variable} and ${other} cannot both be ${port}.`);
    taken.set(`${host} ${port}`, variable);
    await probePort(port, host).catch(({ code = '' }: NodeJS.ErrnoException) => {
      if (hostFaults.has(code))
        throw new StartError(`${hostVariable}: ${toLineText(host, 200)} is no address of this machine (${code}).`);
      const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used on ${host} (${code})`;
      throw new StartError(`Port ${port} ${reason}. Set ${variable} to a free port and start again.`);
    });
  }
}

interface LocalStackOptions {
  config: LocalStackConfig;
  /** The user's variables; each that is set overrides what the stack would choose. */
  environment: NodeJS.ProcessEnv;
  guard: Guard;
  /** Called when a server or service ends by itself and is not started again. */
  onUnexpectedExit: (reason: string) => void;
  /** Fires when the stack stops: nothing is started again after that. */
  stopping: AbortSignal;
}

export interface LocalStack {
  proxyUrl: string;
  managementUrl: string;
  /** A link that signs a browser in once; the console's address alone if none could be made. */
  consoleUrl: string;
  /** The key that the stack made; null if the user has set one. */
  generatedKey: string | null;
  /** Agents need a token. */
  asksForTokens: boolean;
}

/** Defaults that differ from a deployment's. */
const localDefaults = {
  AGENT_IDENTITY: 'open',
  EVENT_STREAM_MAX_BYTES: String(1024 ** 3),
};

/** What management tells of where it and the proxy are reached; links in messages lead to this machine if it alone is served. */
export function toConsoleDefaults({
  host,
  proxyPort,
  managementPort,
}: Pick<StartConfig, 'host' | 'proxyPort' | 'managementPort'>) {
  const at = (port: number) => toReachable(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`);
  return {
    ...(proxyPort !== 0 && { CONSOLE_PROXY_ADDRESS: at(proxyPort) }),
    ...(managementPort !== 0 && isLoopbackAddress(host) && { CONSOLE_ORIGIN: at(managementPort) }),
  };
}

/** The variable of each service's main port; health and metrics have another. */
const portVariables = { proxy: 'PROXY_PORT', management: 'MANAGEMENT_PORT', writer: undefined };

function listOpsPorts({ opsPort }: StartConfig): [number, number, number] {
  return opsPort === 0 ? [0, 0, 0] : [opsPort, opsPort + 1, opsPort + 2];
}

/** Starts servers that are not given, the demo provider and the three services, which start again if they crash. */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { config, environment, guard } = options;
  const start = readStartConfig(environment);
  const { host, opsHost } = start;
  const ownProviders = readOwnProviders(start.providersFile);
  const opsPorts = listOpsPorts(start);
  await checkPorts([
    { variable: 'PROXY_PORT', hostVariable: 'HOST', host, port: start.proxyPort },
    { variable: 'MANAGEMENT_PORT', hostVariable: 'HOST', host, port: start.managementPort },
    ...opsPorts.map((port) => ({ variable: 'OPS_PORT', hostVariable: 'OPS_HOST', host: opsHost, port })),
  ]);
  const secrets = loadSecrets(config.dataFolder);
  const graceMs = toStopLimit(start);
  const service = (
    name: string,
    entry: string,
    portVariable: string | undefined,
    stage: number,
    variables: Record<string, string>,
  ) =>
    keepService(name, entry, {
      guard,
      logFolder: join(config.dataFolder, 'logs'),
      environment: { ...localDefaults, ...toConsoleDefaults(start), ...withoutEmpty(environment), ...variables },
      stop: { graceMs, stage },
      report: config.report,
      onExit: options.onUnexpectedExit,
      stopping: options.stopping,
      ...(portVariable === undefined ? {} : { portVariable }),
    });
  const [servers, demoUrl] = await Promise.all([
    startServers(start, config, secrets, { guard, onExit: options.onUnexpectedExit }),
    // Stopped with the servers: requests that the proxy forwards during its stop still need answers.
    service('demo-provider', 'packages/demo-provider/src/main.ts', 'PORT', 1, {
      HOST: '127.0.0.1',
      PORT: '0',
    }),
    prepareConsole(config.report),
  ]);
  const urls = await prepareServers(start, servers, secrets);
  writeNote(config.dataFolder, 'servers', {
    migrator: { DATABASE_URL: urls.migrator.databaseUrl },
    operator: { DATABASE_URL: urls.writer.databaseUrl, NATS_URL: urls.operator.natsUrl },
  });
  const managementApiKey = start.managementApiKey ?? secrets.managementApiKey;
  const common = {
    MANAGEMENT_API_KEY: managementApiKey,
    PROVIDERS_FILE: writeProvidersFile(config.dataFolder, demoUrl, ownProviders),
    HOST: host,
    OPS_HOST: opsHost,
    PROXY_PORT: String(start.proxyPort),
    MANAGEMENT_PORT: String(start.managementPort),
    SHUTDOWN_GRACE_SECONDS: String(start.shutdownGraceSeconds),
  };
  const [proxyUrl = '', managementUrl = ''] = await Promise.all(
    (['proxy', 'management', 'writer'] as const).map((name, index) =>
      service(name, `services/${name}/src/main.ts`, portVariables[name], 0, {
        ...common,
        ...toVariables(urls[name]),
        OPS_PORT: String(opsPorts[index]),
      }),
    ),
  );
  writeNote(config.dataFolder, 'services', { proxyUrl, managementUrl });
  const generatedKey = start.managementApiKey === undefined ? secrets.managementApiKey : null;
  const consoleUrl = await makeConsoleLink(managementUrl, managementApiKey);
  return { proxyUrl, managementUrl, consoleUrl, generatedKey, asksForTokens: environment.AGENT_IDENTITY === 'token' };
}

/** Without a console everything else works: what keeps it from being built is only shown. */
async function prepareConsole(report: (line: string) => void): Promise<void> {
  try {
    await buildConsole({ report });
  } catch (error) {
    report(`the console cannot be built: ${toLineText(error instanceof Error ? error.message : String(error))}`);
  }
}

async function prepareServers(given: StartConfig, servers: ServerUrls, secrets: Secrets): Promise<RoleUrls> {
  const isOurs = given.databaseUrl === undefined;
  if (!isOurs) await runMigrations(servers.databaseUrl);
  return toRoleUrls({
    databaseUrl: isOurs
      ? await prepareDatabase(servers.databaseUrl, secrets.databasePasswords)
      : () => servers.databaseUrl,
    natsUrl: given.natsUrl === undefined ? toUserUrls(servers.natsUrl, secrets.natsPasswords) : () => servers.natsUrl,
    redisUrl:
      given.redisUrl === undefined ? toUserUrls(servers.redisUrl, secrets.redisPasswords) : () => servers.redisUrl,
  });
}

const toVariables = (urls: ServiceUrls) => ({
  DATABASE_URL: urls.databaseUrl,
  NATS_URL: urls.natsUrl,
  REDIS_URL: urls.redisUrl,
});

function withoutEmpty(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}
