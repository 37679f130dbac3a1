import { UsageError } from '../run-command.ts';
import type { Deployment, Entry, ServerName, ServerPlace } from './deployment.ts';
import {
  type Parse,
  parseClientId,
  parseGateway,
  parseHost,
  parseIssuer,
  parseName,
  parseNetwork,
  parsePlace,
  parsePort,
  parseProviderId,
  parseRedis,
  parseRegistry,
  parseServers,
} from './parse-options.ts';

/** The options of `npm run deploy:kubernetes` as they were given; all of them texts but two. */
export type DeploymentOptions = {
  [Name in (typeof textOptions)[number]]?: string | undefined;
} & { 'pod-monitor'?: boolean | undefined };

const textOptions = [
  'host',
  'registry',
  'pull-secret',
  'ingress',
  'ingress-class',
  'ingress-namespace',
  'gateway',
  'issuer',
  'certificate',
  'certificate-key',
  'management-host',
  'management-class',
  'management-gateway',
  'management-ingress-namespace',
  'oidc-issuer',
  'oidc-client',
  'oidc-secret',
  'oidc-network',
  'postgres',
  'postgres-network',
  'nats',
  'nats-network',
  'redis',
  'redis-network',
  'redis-port',
  'database',
  'plain',
  'authority',
  'admin-url',
  'provider-keys',
  'keda',
  'monitoring-namespace',
] as const;
/** As `parseArgs` takes them. */
export const deploymentOptions = {
  ...(Object.fromEntries(textOptions.map((name) => [name, { type: 'string' }])) as Record<
    (typeof textOptions)[number],
    { type: 'string' }
  >),
  'pod-monitor': { type: 'boolean' },
} as const;
type TextOption = (typeof textOptions)[number];

const controllers = ['nginx', 'haproxy', 'traefik', 'gateway'] as const;
/** The namespaces that their own instructions install them into. */
const usualNamespaces = { nginx: 'ingress-nginx', haproxy: 'haproxy-controller', traefik: 'traefik' };

const parseList =
  <Value>(parse: Parse<Value>): Parse<Value[]> =>
  (text) =>
    text.split(',').map((each) => {
      try {
        return parse(each.trim());
      } catch (error) {
        throw new Error(`${each.trim()}: ${(error as Error).message}`);
      }
    });

const parseServer: Parse<ServerName> = (text) => {
  if (text === 'postgres' || text === 'nats' || text === 'redis') return text;
  throw new Error('must be postgres, nats or redis');
};

const parseController: Parse<(typeof controllers)[number]> = (text) => {
  const found = controllers.find((each) => each === text);
  if (found === undefined) throw new Error(`must be one of ${controllers.join(', ')}`);
  return found;
};

/**
 * Reads the options of a deployment.
 *
 * @throws UsageError with a line for each option that is wrong or missing, and by its name
 */
export function readDeployment(given: DeploymentOptions): Deployment {
  const problems: string[] = [];
  const read = <Value>(option: TextOption, parse: Parse<Value>): Value | null => {
    const text = given[option];
    if (text === undefined) return null;
    try {
      return parse(text);
    } catch (error) {
      // A URL may hold a password.
      problems.push(`--${option}: ${text.includes('@') ? 'what is given' : text} ${(error as Error).message}`);
      return null;
    }
  };
  const need = (option: TextOption, why: string) => {
    if (given[option] === undefined) problems.push(`--${option} is missing: ${why}`);
  };
  const without = (option: TextOption, why: string) => {
    if (given[option] !== undefined) problems.push(`--${option}: ${why}`);
  };

  const host = read('host', parseHost);
  need('host', 'the name that agents call the proxy by');
  const registry = read('registry', parseRegistry);
  need('registry', 'where the images are pushed to, with a path: registry.example.com/agp');
  const kind = read('ingress', parseController);
  need('ingress', `what takes requests from outside: ${controllers.join(', ')}`);

  const plain = read('plain', parseList(parseServer)) ?? [];
  const readServer = (option: ServerName, usualPort: number): ServerPlace | null => {
    need(option, `where it is, as host:port (${usualPort} is usual)`);
    const place = read(option, option === 'redis' ? parseRedis : parseServers);
    const networks = read(`${option}-network`, parseList(parseNetwork)) ?? [];
    if (place?.namespaces.length === 0)
      need(`${option}-network`, 'the subnets that it stands in, where it also is after a failover');
    else if (place) without(`${option}-network`, 'a Service in the cluster is known by its namespace');
    return place && { ...place, networks, tls: place.namespaces.length === 0 && !plain.includes(option) };
  };
  if (given['admin-url']?.includes('://'))
    problems.push('--admin-url: must be a file that holds the URL: the overlay, which keeps this option, goes to git');
  const postgres = readServer('postgres', 5432);
  const nats = readServer('nats', 4222);
  const redis = readServer('redis', 6379);
  const hasSentinels = redis?.text.startsWith('sentinel:');
  const redisPort = read('redis-port', parsePort) ?? 6379;
  if (redis && !hasSentinels) without('redis-port', 'goes with sentinels: the port of the servers that they lead to');
  if (postgres && postgres.namespaces.length > 0)
    need('admin-url', "a file with the URL of an administrator, since the cluster's Postgres is not reached from here");

  if (given.authority !== undefined && [postgres, nats, redis].every((server) => server?.tls === false))
    problems.push('--authority: none of these servers has TLS, neither those in the cluster nor those of --plain');

  const readEntry = (entryHost: string | null, classOption: TextOption, gatewayOption: TextOption): Entry | null => {
    if (kind === null || entryHost === null) return null;
    if (kind !== 'gateway') {
      without(gatewayOption, `goes with --ingress gateway, and not with ${kind}`);
      return { kind, host: entryHost, class: read(classOption, parseName) ?? kind };
    }
    without(classOption, 'a Gateway has no class here');
    need(gatewayOption, 'namespace/name of the Gateway');
    const gateway = read(gatewayOption, parseGateway);
    return gateway && { kind, host: entryHost, ...gateway };
  };
  const proxy = readEntry(host, 'ingress-class', 'gateway');
  const managementHost = read('management-host', parseHost);
  const management = readEntry(managementHost, 'management-class', 'management-gateway');
  if (managementHost === null)
    for (const option of ['management-class', 'management-gateway', 'management-ingress-namespace'] as const)
      without(option, 'goes with --management-host');
  else if (kind !== 'gateway') need('management-class', 'a class of its own, which does not serve the public');

  const issuer = read('oidc-issuer', parseIssuer);
  const clientId = read('oidc-client', parseClientId);
  const oidcNetworks = read('oidc-network', parseList(parseNetwork)) ?? [];
  if (given['oidc-issuer'] === undefined)
    for (const option of ['oidc-client', 'oidc-secret', 'oidc-network'] as const)
      without(option, 'goes with --oidc-issuer');
  else {
    need('oidc-client', 'the id that the OpenID provider knows this installation by');
    need('management-host', 'people come back from the OpenID provider to it');
  }
  const oidc = issuer && {
    ...issuer,
    clientId,
    hasSecret: given['oidc-secret'] !== undefined,
    networks: oidcNetworks,
  };

  if (kind === 'gateway') {
    for (const option of ['issuer', 'certificate', 'certificate-key'] as const)
      without(option, "the certificate is the Gateway's");
    need('ingress-namespace', "where the Gateway's own pods run");
  } else if (given.issuer === undefined) {
    need('certificate', "a file with the host's certificate, or --issuer with a ClusterIssuer of cert-manager");
    if (given.certificate !== undefined) need('certificate-key', 'the file with its key');
    if (managementHost !== null) need('issuer', "management's host needs a certificate too");
  }
  const ingressNamespace =
    read('ingress-namespace', parseName) ?? (kind === null || kind === 'gateway' ? '' : usualNamespaces[kind]);
  const keda = read('keda', parsePlace);
  const deployment = {
    proxy,
    management,
    oidc,
    ingressNamespace,
    managementIngressNamespace: read('management-ingress-namespace', parseName) ?? ingressNamespace,
    issuer: read('issuer', parseName),
    servers: {
      postgres,
      nats,
      redis: redis && hasSentinels ? { ...redis, ports: [...new Set([...redis.ports, redisPort])] } : redis,
    },
    database: read('database', parseName) ?? 'agp',
    registry,
    pullSecret: read('pull-secret', parseName),
    providerKeys: read('provider-keys', parseList(parseProviderId)) ?? [],
    hasAuthority: given.authority !== undefined,
    createsRoles: given['admin-url'] !== undefined,
    keda: keda && `${keda.host}:${keda.port}`,
    monitoringNamespace: read('monitoring-namespace', parseName),
    podMonitor: given['pod-monitor'] ?? false,
  };
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  // Nothing that is required is null any more, or a problem would say so.
  return deployment as Deployment;
}
