import { loadConfig } from '@agp/runtime';
import { managementConfigSchema } from '../../../../services/management/src/config.ts';
import { proxyConfigSchema } from '../../../../services/proxy/src/config.ts';
import { writerConfigSchema } from '../../../../services/writer/src/config.ts';
import { type Container, type KubernetesObject, listContainers, listWorkloads } from '../render-kustomization.ts';

const schemas = { proxy: proxyConfigSchema, writer: writerConfigSchema, management: managementConfigSchema };
type Service = keyof typeof schemas;

/** What commands, the simulated provider and Postgres' image read. */
const commandVariables: Record<string, readonly string[]> = {
  migrate: ['DATABASE_URL'],
  maintain: ['DATABASE_URL', 'RETENTION_DAYS'],
  'create-roles': [
    'DATABASE_URL',
    ...['MIGRATOR', 'PROXY', 'WRITER', 'MANAGEMENT', 'GRAFANA'].map((role) => `AGP_${role}_PASSWORD`),
  ],
  operator: ['DATABASE_URL', 'NATS_URL', 'NATS_CA_FILE'],
  'demo-provider': ['HOST', 'PORT'],
  postgres: ['POSTGRES_PASSWORD', 'POSTGRES_INITDB_ARGS'],
};

/** Providers are named by operators. */
const providerVariable = /^PROVIDER_[A-Z0-9_]+_(URL|API_KEY)$/;

export function isService(name: string): name is Service {
  return name in schemas;
}

/** A container's variables, those of its ConfigMaps included. */
export function readEnvironment(container: Container, objects: KubernetesObject[]): Record<string, string> {
  const names = (container.envFrom ?? []).map(({ configMapRef }) => configMapRef?.name);
  const maps = objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && names.includes(metadata.name));
  const own = (container.env ?? []).map(({ name, value = '' }) => [name, value]);
  return Object.assign({}, ...maps.map(({ data }) => data), Object.fromEntries(own));
}

/** What stands in the files of secrets, which are not here, as far as a service looks at it. */
const secrets: Record<string, string> = {
  DATABASE_URL_FILE: 'postgres://user:password@postgres/agp',
  NATS_URL_FILE: 'nats://user:password@nats',
  REDIS_URL_FILE: 'redis://user:password@redis',
};

/** What the service would make of it. Files of keys, which are not here either, hold something that is long enough. */
export function loadService(name: Service, environment: Record<string, string>) {
  const values = Object.entries(environment).map(([variable, value]) =>
    variable.endsWith('_CA_FILE')
      ? [variable, import.meta.filename]
      : [variable.replace(/(_URL|_KEY|_SECRET)_FILE$/, '$1'), secrets[variable] ?? value],
  );
  return loadConfig(schemas[name] as typeof proxyConfigSchema, Object.fromEntries(values));
}

function* checkVariables(name: string, environment: Record<string, string>): Generator<string> {
  const known = isService(name)
    ? Object.keys(schemas[name].shape).map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase())
    : (commandVariables[name] ?? []);
  for (const variable of Object.keys(environment)) {
    const plain = variable.replace(/_FILE$/, '');
    if (known.includes(variable) || known.includes(plain)) continue;
    if (name !== 'proxy' || !providerVariable.test(plain)) yield `${name}: nothing reads ${variable}`;
  }
}

/** Each variable is one that is read, with a value that the service takes, and ports are where the service listens. */
export function* checkEnvironment(objects: KubernetesObject[]): Generator<string> {
  for (const workload of listWorkloads(objects))
    for (const container of listContainers(workload)) {
      const { name, ports = [] } = container;
      const environment = readEnvironment(container, objects);
      yield* checkVariables(name, environment);
      if (!isService(name)) continue;
      try {
        const config = loadService(name, environment);
        const { opsPort, proxyPort, managementPort } = config as typeof config & { managementPort?: number };
        const expected = { ops: opsPort, http: name === 'management' ? managementPort : proxyPort };
        for (const { name: port, containerPort } of ports)
          if (expected[port as keyof typeof expected] !== containerPort)
            yield `${name}: does not listen on ${port} ${containerPort}`;
        if (workload.template.metadata?.annotations?.['prometheus.io/port'] !== String(opsPort))
          yield `${name}: Prometheus asks another port than the ops port`;
      } catch (error) {
        yield `${name}: ${(error as Error).message}`;
      }
    }
}
