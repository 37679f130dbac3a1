import { managementConfigSchema, proxyConfigSchema, writerConfigSchema } from '@agp/settings';
import { z } from 'zod';
import { toVariable } from '../../../docs/generated-tables.ts';

/** A value of the chart: its path, what it is if nobody sets it, and what it is for. */
interface Value {
  path: string;
  value: unknown;
  comment?: string;
  /** What a JSON schema says of it besides its type. */
  schema?: object;
}

const value = (path: string, value: unknown, comment?: string, schema?: object): Value => ({
  path,
  value,
  ...(comment === undefined ? {} : { comment }),
  ...(schema === undefined ? {} : { schema }),
});
const port = { minimum: 1, maximum: 65_535 };
const network = { pattern: '^$|^[0-9a-fA-F.:]+/[0-9]+$' };
const onOff = (path: string, comment: string, isOn = false) => value(`${path}.enabled`, isOn, comment);

const server = (name: string, title: string, usualPort: number) => [
  value(
    `${name}.host`,
    '',
    `${title}, outside the chart. The Secrets name it; here it is for the commands that are printed.`,
  ),
  value(`${name}.port`, usualPort, undefined, port),
  value(
    `${name}.network`,
    '',
    'The subnet that it may stand in: a managed server has another address after a failover.',
    network,
  ),
  value(
    `${name}.extraPeers`,
    [],
    'More peers and ports of the NetworkPolicy, such as a namespaceSelector for a server in the cluster.',
  ),
  value(`${name}.extraPorts`, []),
];

const configs = { proxy: proxyConfigSchema, writer: writerConfigSchema, management: managementConfigSchema };

/** Of a service's variables those that take one of some words, so that helm refuses another. */
function toWords(name: keyof typeof configs): object {
  const words = Object.entries(configs[name].shape as Record<string, z.ZodType>).flatMap(([key, field]) => {
    const inner = field instanceof z.ZodDefault ? field.unwrap() : field;
    return inner instanceof z.ZodEnum ? [[toVariable(key), { enum: inner.options }]] : [];
  });
  return { properties: Object.fromEntries(words) };
}

const service = (name: keyof typeof configs, replicas: number, most: number) => [
  value(`${name}.replicaCount`, replicas, 'Pods; the least of them if they are scaled.', { minimum: 1 }),
  value(`${name}.autoscaling.enabled`, true),
  value(`${name}.autoscaling.maxReplicas`, most, undefined, { minimum: 1 }),
  value(`${name}.existingSecret`, '', `In place of <instance>-${name}.`),
  value(`${name}.config`, {}, 'Variables of docs/configuration.md, over those that the chart sets.', toWords(name)),
  value(`${name}.resources`, {}, "In place of the manifests' own."),
];

/** Every value, in the order of `values.yaml`. */
export const values: Value[] = [
  value('image.repository', '', 'Where the images were pushed to: registry and prefix.'),
  value('image.tag', '', "In place of the chart's version."),
  value('image.digests', {}, 'By image (proxy, writer, management, migrate, maintenance), such as proxy: sha256:...', {
    additionalProperties: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
    propertyNames: { enum: ['proxy', 'writer', 'management', 'migrate', 'maintenance'] },
  }),
  value('imagePullSecrets', [], 'Of your registry, such as [{ name: registry }].'),
  value(
    'instance',
    'agp',
    'What the names of Secrets begin with. Of a second installation in a namespace another word: names and selectors get it too.',
    {
      pattern: '^[a-z]([a-z0-9-]*[a-z0-9])?$',
    },
  ),
  value('retention.days', 184, 'How many days records are kept; 0 keeps all.', { minimum: 0 }),
  value('retention.requiredBy', 'none', 'The law that asks for it: eu-ai-act asks for 183 days at least.', {
    enum: ['none', 'eu-ai-act'],
  }),
  ...server('postgres', 'Postgres', 5432),
  ...server('nats', 'NATS', 4222),
  ...server('redis', 'Redis', 6379),
  value(
    'ingress.enabled',
    true,
    'The way of agents to the proxy: by an Ingress, a Gateway (of the same host), or from inside the cluster.',
  ),
  value('ingress.host', ''),
  value('ingress.className', '', 'Of ingress-nginx, HAProxy, Traefik or OpenShift, whose timeouts the Ingress has.'),
  value('ingress.clusterIssuer', '', "cert-manager's; without it the Secret of the certificate is yours."),
  value('ingress.http01', true, 'Lets the controller reach the pods that cert-manager answers from.'),
  value('ingress.existingSecret', '', 'In place of <instance>-proxy-tls.'),
  onOff('gateway', ''),
  value('gateway.name', 'public'),
  value('gateway.namespace', 'gateway'),
  value('gateway.listener', 'https'),
  onOff('inClusterAgents', 'Agents of namespaces with the label agent-governance-proxy/agents=true call the Service.'),
  ...service('proxy', 3, 12),
  value('proxy.files', {}, 'Files in /etc/agp of proxies and management, such as providers.json.'),
  value('proxy.existingProviderKeys', '', 'In place of <instance>-provider-keys, which may be missing.'),
  ...service('writer', 2, 6),
  ...service('management', 2, 6),
  value('management.ingress.enabled', false, 'A host of its own for the management API, not on the public class.'),
  value('management.ingress.host', ''),
  value('management.ingress.className', ''),
  value('management.ingress.existingSecret', '', 'In place of <instance>-management-tls.'),
  value('management.gateway.enabled', false, 'The same by a Gateway.'),
  value('management.gateway.name', 'internal'),
  value('migrate.existingSecret', '', 'In place of <instance>-migrator, for migrations and maintenance.'),
  onOff('createRoles', "Makes the database's roles before each migration."),
  value('createRoles.existingSecret', '', 'In place of <instance>-admin.'),
  onOff('keda', 'Scales writers by what waits in the stream.'),
  value('keda.natsMonitoring', '', "NATS' monitoring endpoint, host:8222."),
  onOff(
    'egressProxy',
    'Providers, OpenID and targets of alerts by way of an HTTP proxy; it needs url, network and noProxy.',
  ),
  value('egressProxy.url', ''),
  value('egressProxy.network', '', undefined, network),
  value('egressProxy.port', 3128, undefined, port),
  value('egressProxy.noProxy', '', 'Hosts that are reached without it; those in the cluster are anyway.'),
  onOff('privateCa', 'Trusts ca.crt of a ConfigMap, which is yours to make, beside the public authorities.'),
  value('privateCa.configMap', 'agp-ca'),
  onOff('oidc', 'Opens the way to an OpenID provider; its variables go to management.config.'),
  onOff('alerts', 'Opens the way to targets of alerts.'),
  onOff('tracing', 'Traces to a collector in a namespace with the label agent-governance-proxy/tracing=true.'),
  value('tracing.endpoint', 'http://collector.observability.svc:4318'),
  onOff('podMonitor', 'For the Prometheus operator: whom to ask, and the alerts.'),
  value('podMonitor.labels', {}, 'By which it selects, such as release: kube-prometheus-stack.'),
  onOff('monitoring', "Dashboards and data sources for Grafana's sidecar, and Prometheus' configuration."),
  onOff('mesh', 'Keeps the sidecars of a mesh out of the pods.'),
  onOff('nodeLocalDns', 'Lets pods ask the DNS cache of their node.'),
  onOff('openshift', 'Leaves users and groups to OpenShift, and knows its DNS.'),
  value('podAnnotations', {}, "Of the services' pods."),
  value('nodeSelector', {}, 'Of all pods.'),
  value('tolerations', []),
];

interface Group {
  [key: string]: Group | Value;
}
const isValue = (each: Group | Value): each is Value => typeof each.path === 'string';

const tree: Group = {};
for (const each of values) {
  const keys = each.path.split('.');
  const last = keys.pop() ?? '';
  let group = tree;
  for (const key of keys) {
    group[key] ??= {};
    group = group[key] as Group;
  }
  group[last] = each;
}

const notice = '# Made by "npm run generate": change its code, not this file.\n';

function writeGroup(group: Group, given: Map<string, unknown> | null, indent: string): string[] {
  return Object.entries(group).flatMap(([key, each]) => {
    if (!isValue(each)) {
      const lines = writeGroup(each, given, `${indent}  `);
      return lines.length === 0 ? [] : [`${indent}${key}:`, ...lines];
    }
    if (given !== null && !given.has(each.path)) return [];
    const text = JSON.stringify(given?.get(each.path) ?? each.value);
    return [...(each.comment && given === null ? [`${indent}# ${each.comment}`] : []), `${indent}${key}: ${text}`];
  });
}

/** `values.yaml`, which helm takes where nobody sets another value. */
export const writeValues = (): string => `${notice}${writeGroup(tree, null, '').join('\n')}\n`;

/** Some of the values, by their paths. */
export const writeSome = (given: Map<string, unknown>): string =>
  `${notice}${writeGroup(tree, given, '').join('\n')}\n`;

function toSchema(group: Group): object {
  const properties = Object.entries(group).map(([key, each]) => {
    if (!isValue(each)) return [key, toSchema(each)];
    const type = Array.isArray(each.value) ? 'array' : typeof each.value === 'number' ? 'integer' : typeof each.value;
    return [key, { ...(each.comment ? { description: each.comment } : {}), type, ...each.schema }];
  });
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) };
}

/** `values.schema.json`: a value that is misspelt or of another type is refused by its name. */
export function writeSchema(): string {
  const { properties, ...schema } = toSchema(tree) as { properties: object };
  // Helm hands a parent's globals to every chart.
  const all = {
    $schema: 'https://json-schema.org/draft-07/schema#',
    ...schema,
    properties: { ...properties, global: { type: 'object' } },
  };
  return `${JSON.stringify(all, null, 2)}\n`;
}
