import { type Deployment, type Entry, type ServerName, type ServerPlace, serverNames } from './deployment.ts';

const images = ['proxy', 'writer', 'management', 'migrate', 'maintenance'] as const;
const placeholder = 'registry.example.com/agent-governance-proxy';

const isText = (line: string | false | null | undefined): line is string => typeof line === 'string';
/** Lines of a file; what is false or null is left out. */
const toText = (lines: readonly (string | false | null | undefined)[]) => `${lines.filter(isText).join('\n')}\n`;

/** A patch of JSON for one object, its operations each on one line. */
function patch(target: string, operations: readonly (string | false | null)[]): string[] {
  return [
    `  - target: { ${target} }`,
    '    patch: |-',
    ...operations.filter(isText).map((each) => `      - { ${each} }`),
  ];
}

const replace = (path: string, value: string | number) => `op: replace, path: ${path}, value: ${value}`;
const add = (path: string, value: string) => `op: add, path: ${path}, value: ${value}`;

function patchEntry(name: 'proxy' | 'management', entry: Entry, issuer: string | null): string[] {
  if (entry.kind === 'gateway')
    return patch(`kind: HTTPRoute, name: ${name}`, [
      replace('/spec/hostnames/0', entry.host),
      replace('/spec/parentRefs/0/name', entry.gateway),
      replace('/spec/parentRefs/0/namespace', entry.gatewayNamespace),
    ]);
  return patch(`kind: Ingress, name: ${name}`, [
    replace('/spec/ingressClassName', entry.class),
    replace('/spec/rules/0/host', entry.host),
    replace('/spec/tls/0/hosts/0', entry.host),
    issuer && add('/metadata/annotations/cert-manager.io~1cluster-issuer', issuer),
  ]);
}

const toBlocks = (networks: readonly string[]) => networks.map((cidr) => `{ ipBlock: { cidr: "${cidr}" } }`);

const toSelector = (namespace: string) =>
  `{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: ${namespace} } } }`;

function patchServer(name: ServerName, { namespaces, networks, ports }: ServerPlace): string[] {
  const peers = [...namespaces.map(toSelector), ...toBlocks(networks)];
  return patch(`kind: NetworkPolicy, name: to-${name}`, [
    replace('/spec/egress/0/to', `[${peers.join(', ')}]`),
    replace('/spec/egress/0/ports', `[${ports.map((port) => `{ protocol: TCP, port: ${port} }`).join(', ')}]`),
  ]);
}

function patchOidc(oidc: Deployment['oidc']): string[] {
  if (oidc === null || (oidc.networks.length === 0 && oidc.port === 443)) return [];
  return patch('kind: NetworkPolicy, name: management-to-oidc', [
    oidc.networks.length > 0 && replace('/spec/egress/0/to', `[${toBlocks(oidc.networks).join(', ')}]`),
    replace('/spec/egress/0/ports/0/port', oidc.port),
  ]);
}

/** What the console must know of the world outside of the cluster. */
const listConsoleSettings = ({ proxy, management, oidc }: Deployment): string[] =>
  [
    `CONSOLE_PROXY_ADDRESS=https://${proxy.host}`,
    management && `CONSOLE_ORIGIN=https://${management.host}`,
    oidc && `OIDC_ISSUER=${oidc.issuer}`,
    oidc && `OIDC_CLIENT_ID=${oidc.clientId}`,
    oidc?.hasSecret && 'OIDC_CLIENT_SECRET_FILE=/run/secrets/agp/oidc-client-secret',
  ].filter(isText);

const toVariable = (provider: string) => `PROVIDER_${provider.toUpperCase().replaceAll('-', '_')}_API_KEY_FILE`;

/** With an authority's file clients ask for TLS: those of a server that has none do without it. */
const withoutAuthority = ({ hasAuthority, servers }: Deployment): string[] =>
  (['nats', 'redis'] as const)
    .filter((name) => hasAuthority && !servers[name].tls)
    .flatMap((name) =>
      patch('kind: ConfigMap, name: proxy|writer|management', [
        `op: remove, path: /data/${name.toUpperCase()}_CA_FILE`,
      ]),
    );

/** The same for an operator's command, which asks NATS and not Redis. */
const withoutOperatorAuthority = ({ hasAuthority, servers }: Deployment): string[] =>
  !hasAuthority || servers.nats.tls
    ? []
    : [
        '  - patch: |-',
        '      apiVersion: batch/v1\n      kind: Job\n      metadata: { name: operator }',
        '      spec: { template: { spec: { containers: [{ name: operator, env: [{ name: NATS_CA_FILE, $patch: delete }] }] } } }',
      ];

const fromNamespaces = (policy: string, ...namespaces: string[]) =>
  patch(`kind: NetworkPolicy, name: ${policy}`, [
    replace('/spec/ingress/0/from', `[${[...new Set(namespaces)].map(toSelector).join(', ')}]`),
  ]);

const pullSecretPatch = (secret: string | null) =>
  secret === null ? [] : patch('kind: ServiceAccount', [add('/imagePullSecrets', `[{ name: ${secret} }]`)]);

function listComponents({
  proxy,
  management,
  issuer,
  oidc,
  keda,
  podMonitor,
  hasAuthority,
  createsRoles,
}: Deployment): string[] {
  const isGateway = proxy.kind === 'gateway';
  return [
    // Before the controller's, which patches every Ingress that is there.
    management && (isGateway ? 'gateway-management' : 'ingress-management'),
    isGateway ? 'gateway' : `ingress-${proxy.kind}`,
    issuer && 'http01',
    oidc && 'oidc',
    createsRoles && 'create-roles',
    hasAuthority && 'private-ca',
    keda !== null && 'keda',
    podMonitor && 'pod-monitor',
  ].filter(isText);
}

/**
 * The files of an overlay on `overlays/production`, by their path within it.
 *
 * @param toManifests the path from the overlay to the folder `k8s`, with slashes
 * @param command what makes it again, for its first lines
 */
export function renderOverlay(deployment: Deployment, toManifests: string, command: string): Map<string, string> {
  const { proxy, management, servers, registry, pullSecret, providerKeys, hasAuthority, keda } = deployment;
  const { ingressNamespace, managementIngressNamespace } = deployment;
  const overlay = toText([
    '# Made by npm run deploy:kubernetes, and yours from then on: keep it in git, it holds no secret. Made again by',
    `#   ${command}`,
    'apiVersion: kustomize.config.k8s.io/v1beta1',
    'kind: Kustomization',
    'namespace: agp',
    'resources:',
    `  - ${toManifests}/overlays/production`,
    'components:',
    ...listComponents(deployment).map((name) => `  - ${toManifests}/components/${name}`),
    'images:',
    ...images.map((name) => `  - { name: ${placeholder}/${name}, newName: ${registry}/${name} }`),
    'configMapGenerator:',
    '  - name: management\n    behavior: merge\n    literals:',
    ...listConsoleSettings(deployment).map((each) => `      - ${each}`),
    providerKeys.length > 0 && '  - name: proxy\n    behavior: merge\n    literals:',
    ...providerKeys.map((id) => `      - ${toVariable(id)}=/run/secrets/providers/${id}`),
    hasAuthority && '  - name: agp-ca\n    files: [ca.crt]\n    options: { disableNameSuffixHash: true }',
    'patches:',
    ...patchEntry('proxy', proxy, deployment.issuer),
    ...(management ? patchEntry('management', management, deployment.issuer) : []),
    ...fromNamespaces('ingress-to-proxy', ingressNamespace),
    ...(management ? fromNamespaces('ingress-to-management', managementIngressNamespace) : []),
    ...(deployment.issuer === null
      ? []
      : fromNamespaces('ingress-to-solver', ingressNamespace, managementIngressNamespace)),
    ...(deployment.monitoringNamespace === null
      ? []
      : fromNamespaces('monitoring-to-services', deployment.monitoringNamespace)),
    '  # Subnets and not addresses: a managed server has another address after a failover.',
    ...serverNames.flatMap((name) => patchServer(name, servers[name])),
    ...patchOidc(deployment.oidc),
    ...(keda === null
      ? []
      : patch('kind: ScaledObject, name: writer', [
          replace('/spec/triggers/0/metadata/natsServerMonitoringEndpoint', `"${keda}"`),
        ])),
    ...withoutAuthority(deployment),
    ...pullSecretPatch(pullSecret),
  ]);
  const operator = toText([
    '# A command of an operator in the cluster (docs/deploy.md): applied by itself, with its arguments in the last line.',
    'apiVersion: kustomize.config.k8s.io/v1beta1',
    'kind: Kustomization',
    'namespace: agp',
    `resources:\n  - ../${toManifests}/operator`,
    hasAuthority && `components:\n  - ../${toManifests}/components/private-ca-operator`,
    `images:\n  - { name: ${placeholder}/migrate, newName: ${registry}/migrate }`,
    'patches:',
    ...pullSecretPatch(pullSecret),
    ...withoutOperatorAuthority(deployment),
    ...patch('kind: Job', [replace('/spec/template/spec/containers/0/args', '[list]')]),
  ]);
  return new Map([
    ['kustomization.yaml', overlay],
    ['operator/kustomization.yaml', operator],
  ]);
}
