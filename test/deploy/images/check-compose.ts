import { managementConfigSchema, proxyConfigSchema, writerConfigSchema } from '@agp/settings';

interface Service {
  image: string;
  build?: { args?: string[] };
  command?: string[];
  user?: string;
  environment?: Record<string, string>;
  secrets?: (string | { source: string })[];
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  mem_limit?: string;
  pids_limit?: number;
  restart?: string;
  logging?: { options: Record<string, string> };
  stop_grace_period?: string;
}

export interface ComposeFile {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
}

const schemas = { proxy: proxyConfigSchema, writer: writerConfigSchema, management: managementConfigSchema };
/** Read by OpenTelemetry's libraries, not by a service's configuration. */
const libraryVariable = /^OTEL_/;

const toVariable = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

function findUnknownVariables(name: string, { environment = {} }: Service): string[] {
  const schema = schemas[name as keyof typeof schemas];
  if (schema === undefined) return [];
  const known = new Set(Object.keys(schema.shape).map(toVariable));
  // Providers' variables are named by their ids.
  return Object.keys(environment)
    .filter((variable) => !known.has(variable) && !known.has(variable.replace(/_FILE$/, '')))
    .filter((variable) => !libraryVariable.test(variable))
    .map((variable) => `${name} does not read ${variable}`);
}

/** A stop of ours takes no longer than docs/configuration.md says; then the engine kills. Five seconds are to spare. */
function findShortGrace(name: string, { environment = {}, stop_grace_period = '10s' }: Service): string[] {
  if (!Object.hasOwn(schemas, name)) return [];
  const seconds = Number(environment.DRAIN_DELAY_SECONDS ?? 0) + Number(environment.SHUTDOWN_GRACE_SECONDS) + 10;
  return Number.parseInt(stop_grace_period, 10) >= seconds + 5
    ? []
    : [`${name} may be killed before its ${seconds} s are over`];
}

const isOurs = (image: string) => image.startsWith('agent-governance-proxy/');

/** What the Dockerfile takes from where it is built. */
const buildArgs = ['NODE_IMAGE', 'NPM_REGISTRY'];

/** Services behind the balancer are replaced and added beside each other. */
function findUnbalanced(name: string, { environment = {}, ports = [] }: Service): string[] {
  if (!['proxy', 'management'].includes(name)) return [];
  const faults: [boolean, string][] = [
    [ports.length > 0, 'publishes a port, which two containers cannot share'],
    [!/^\$\{TRUST_PROXY:-1\}$/.test(environment.TRUST_PROXY ?? ''), 'does not trust its balancer'],
    [!(Number(environment.DRAIN_DELAY_SECONDS) >= 5), 'stops before its balancer knows'],
  ];
  return faults.flatMap(([isFault, fault]) => (isFault ? [`${name} ${fault}`] : []));
}

function findFaultsOf(name: string, service: Service, secrets: ReadonlySet<string>): string[] {
  const faults: [boolean, string][] = [
    [!/:v?\d+\.\d+(\.\d+)?(-\w+)?(@|$)/.test(service.image), 'has no exact version'],
    [!isOurs(service.image) && !/@sha256:[0-9a-f]{64}$/.test(service.image), 'is not pinned by digest'],
    [
      service.build !== undefined && buildArgs.some((arg) => !service.build?.args?.includes(arg)),
      'is not built with what .env says',
    ],
    [service.read_only !== true, 'may write to its root file system'],
    [!service.cap_drop?.includes('ALL'), 'keeps capabilities'],
    [!service.security_opt?.includes('no-new-privileges:true'), 'may gain privileges'],
    [service.mem_limit === undefined || service.pids_limit === undefined, 'has no limits'],
    [service.logging?.options['max-size'] === undefined, 'logs without bound'],
    [service.restart === undefined, 'does not say when it is restarted'],
    [service.ports?.some((port) => !port.startsWith('127.0.0.1:')) ?? false, 'publishes a port beyond loopback'],
    [service.ports?.some((port) => /:90(80|81|82)$/.test(port)) ?? false, 'publishes its ops port'],
  ];
  const given = (service.secrets ?? []).map((secret) => (typeof secret === 'string' ? secret : secret.source));
  const open = Object.entries(service.environment ?? {}).filter(
    ([variable, value]) =>
      (/(PASSWORD|SECRET|KEY|TOKEN|(DATABASE|NATS|REDIS)_URL)$/.test(variable) && value !== '') ||
      /:\/\/[^/]*@/.test(value),
  );
  const unmounted = Object.values(service.environment ?? {}).filter(
    (value) => value.startsWith('/run/secrets/') && !given.includes(value.slice('/run/secrets/'.length)),
  );
  return [
    ...faults.flatMap(([isFault, fault]) => (isFault ? [`${name} ${fault}`] : [])),
    ...given
      .filter((secret) => !secrets.has(secret))
      .map((secret) => `${name} asks for ${secret}, which is not defined`),
    ...open.map(([variable]) => `${name} has a secret in ${variable}`),
    ...unmounted.map((path) => `${name} looks for ${path}, which it does not get`),
    ...findUnbalanced(name, service),
    ...findUnknownVariables(name, service),
    ...findShortGrace(name, service),
  ];
}

/**
 * What in a compose file goes against the rules for it.
 *
 * @param made the files that `npm run secrets` makes, as paths within its folder
 */
export function findComposeFaults(file: ComposeFile, made: ReadonlySet<string>): string[] {
  const secrets = new Set(Object.keys(file.secrets));
  const versions = new Set(
    Object.values(file.services).flatMap(({ image }) => /^agent-governance-proxy\/.*:(.*)$/.exec(image)?.[1] ?? []),
  );
  return [
    ...Object.entries(file.services).flatMap(([name, service]) => findFaultsOf(name, service, secrets)),
    ...Object.values(file.secrets).flatMap(({ file: path }) =>
      made.has(path.replace('./secrets/', '')) ? [] : [`${path} is not made by npm run secrets`],
    ),
    ...(versions.size === 1 ? [] : [`our images have several versions: ${[...versions]}`]),
  ];
}
