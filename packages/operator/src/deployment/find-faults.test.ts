import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findSecretFaults } from './compare-secrets.ts';
import { findCollisions, findFaults } from './find-faults.ts';
import { readInstallation } from './read-installation.ts';
import { settings } from './settings.ts';

const k8s = resolve(import.meta.dirname, '../../../../k8s');
const chart = join(k8s, 'chart');

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const edit = (file: string, change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, 'utf8')));
const toMine = (text: string) =>
  text.replaceAll(/example\.(com|internal)/g, 'acme.test').replaceAll('192.0.2.', '10.20.0.');

/** A copy of the example with somebody's values, changed. */
function readCopy(change: { settings?: [RegExp, string]; kustomization?: [RegExp | string, string] } = {}) {
  const folder = join(makeFolder(), 'mine');
  cpSync(join(k8s, 'overlays/example'), folder, { recursive: true });
  edit(join(folder, 'settings/settings.env'), (text) => {
    const mine = toMine(text);
    return change.settings ? mine.replace(...change.settings) : mine;
  });
  const { kustomization } = change;
  if (kustomization) edit(join(folder, 'kustomization.yaml'), (text) => text.replace(...kustomization));
  return readInstallation(folder, chart);
}

const withComponents = (...names: string[]): [string, string] => [
  '  - settings\n',
  `  - settings\n${names.map((name) => `  - ../../components/${name}\n`).join('')}`,
];
const withLiterals = (name: string, ...literals: string[]): [string, string] => [
  'configMapGenerator:\n',
  `configMapGenerator:\n  - { name: ${name}, behavior: merge, literals: [${literals.map((each) => JSON.stringify(each)).join(', ')}] }\n`,
];

test('a copy with values of its own lacks nothing, and settings.env has every setting', () => {
  const installation = readCopy();
  expect(findFaults(installation)).toEqual([]);
  expect([...installation.settings.keys()]).toEqual(expect.arrayContaining(Object.keys(settings)));
});

test.each([
  [{ settings: [/^REGISTRY=.*$/m, 'REGISTRY=registry.example.com'] }, /^REGISTRY: .* is the example's/],
  [{ settings: [/^NATS_PORT=.*\n/m, ''] }, /^NATS_PORT: is missing/],
  [{ settings: [/^NATS_HOST=.*$/m, 'NATS_HOST='] }, /^NATS_HOST: is empty/],
  [{ settings: [/^REDIS_NETWORK=.*$/m, 'REDIS_NETWORK=10.0.0.0'] }, /^REDIS_NETWORK: .* is no subnet/],
  [{ settings: [/^AGENTS_HOST=.*$/m, 'AGENTS_HOST=https://a.test'] }, /^AGENTS_HOST: .* is no name of a host/],
  [{ settings: [/^NATS_HOST=/m, 'NATS_HOTS=a\nNATS_HOST='] }, /^NATS_HOTS: is no setting/],
  [
    { settings: [/^RETENTION_DAYS=.*\n.*$/m, 'RETENTION_DAYS=90\nRETENTION_BY_LAW=eu-ai-act'] },
    /^RETENTION_DAYS: 90 is less than the 183/,
  ],
  [
    { settings: [/^RETENTION_DAYS=.*$/m, 'RETENTION_DAYS=5'] },
    /^RETENTION_DAYS: must be a whole number of days, at least 7/,
  ],
  [{ kustomization: withLiterals('proxy', 'MAX_REQUEST_BYTES=abc') }, /^MAX_REQUEST_BYTES: must be a whole number/],
  [{ kustomization: withLiterals('proxy', 'TRUST_PROXY=banana') }, /^TRUST_PROXY: must be a hop count or/],
  [{ kustomization: withLiterals('proxy', 'DRAIN_DELAY_SECONDS=-5') }, /^DRAIN_DELAY_SECONDS: must be a whole number/],
  [{ settings: [/^RETENTION_BY_LAW=.*$/m, 'RETENTION_BY_LAW=gdpr'] }, /^RETENTION_BY_LAW: gdpr is none of/],
  [{ settings: [/^INSTANCE=.*$/m, 'INSTANCE=second'] }, /^namePrefix: is missing, and INSTANCE is second\nlabels: /],
  [{ kustomization: withComponents('gateway') }, /^components\/ingress-nginx, components\/gateway: one of them/],
  [{ kustomization: withComponents('ingress-nginx') }, /^components\/ingress-nginx: is there twice/],
  [{ kustomization: [/ {2}- \.\.\/\.\.\/components\/ingress-nginx\n/, ''] }, /without one no agent reaches the proxy/],
  [{ kustomization: ['  - settings\n', ''] }, /^components: settings is missing/],
  [
    { kustomization: [/ {2}- path: settings\/replacements\.yaml\n/, ''] },
    /^replacements: settings\/replacements\.yaml is missing/,
  ],
  [
    { kustomization: withComponents('ingress-management') },
    /^CONSOLE_ORIGIN: is missing; it is https:\/\/management\.acme\.test/,
  ],
  [
    { kustomization: withLiterals('management', 'CONSOLE_ORIGIN=http://a.test') },
    /^CONSOLE_ORIGIN: .* with https unless it names this machine/,
  ],
  [{ kustomization: withComponents('oidc') }, /^OIDC_ISSUER: is missing.*\nOIDC_CLIENT_ID: is missing/],
  [
    {
      kustomization: withLiterals(
        'proxy',
        'AGENT_IDENTITY=open',
        'PROVIDER_OPENAI_API_KEY_FILE=/run/secrets/providers/openai',
      ),
    },
    /^AGENT_IDENTITY: with open/,
  ],
  [{ kustomization: withComponents('in-cluster-agents') }, /^TRUST_PROXY: agents in the cluster beside an ingress/],
  [
    { kustomization: withLiterals('management', 'OIDC_ISSUER=https://sso.example.com') },
    /sso\.example\.com is the example's/,
  ],
  [
    { settings: [/^EGRESS_PROXY_PORT=.*$/m, 'EGRESS_PROXY_PORT=8080'], kustomization: withComponents('egress-proxy') },
    /^EGRESS_PROXY_PORT: 8080 is not the port 3128/,
  ],
  [
    {
      settings: [/^NATS_MONITORING=.*$/m, 'NATS_MONITORING=nats.acme.test:4222'],
      kustomization: withComponents('keda'),
    },
    /^NATS_MONITORING: has the port of clients/,
  ],
] as [Parameters<typeof readCopy>[0], RegExp][])('%o is named', (change, fault) => {
  expect(findFaults(readCopy(change)).join('\n')).toMatch(fault);
});

test('a trust in the networks of the controller lets agents in the cluster be beside an ingress', () => {
  const patch =
    'patches:\n  - target: { kind: ConfigMap, name: proxy }\n    patch: "- { op: replace, path: /data/TRUST_PROXY, value: 10.1.0.0/16 }"\n';
  const [from, to] = withComponents('in-cluster-agents');
  expect(findFaults(readCopy({ kustomization: [from, to.replace('components:', 'components:')] })).length).toBe(1);
  const installation = readCopy({
    kustomization: ['components:\n', `${patch}components:\n  - ../../components/in-cluster-agents\n`],
  });
  expect(findFaults(installation)).toEqual([]);
});

test('a server in the cluster, by a patch or by peers, needs no subnet', () => {
  const patch = '[{ op: replace, path: /spec/egress/0/to, value: [{ namespaceSelector: {} }] }]';
  const text = `patches:\n  - target: { kind: NetworkPolicy, name: to-nats }\n    patch: "${patch}"\ncomponents:\n`;
  const change = { settings: [/^NATS_NETWORK=.*$/m, 'NATS_NETWORK='], kustomization: ['components:\n', text] };
  expect(findFaults(readCopy(change as Parameters<typeof readCopy>[0]))).toEqual([]);
  const file = join(makeFolder(), 'values.yaml');
  const mine = toMine(readFileSync(join(chart, 'example-values.yaml'), 'utf8'));
  writeFileSync(
    file,
    mine.replace('network: "10.20.0.32/28"', 'network: ""\n  extraPeers: [{ namespaceSelector: {} }]'),
  );
  expect(findFaults(readInstallation(file, chart))).toEqual([]);
});

test('values of servers in the cluster, as the page for platform teams has them, lack nothing', () => {
  const page = readFileSync(resolve(k8s, '../docs/people/platform.md'), 'utf8');
  const [, inCluster = ''] = /```yaml in-cluster\n([\s\S]*?)```/.exec(page) ?? [];
  const file = join(makeFolder(), 'values.yaml');
  const others = toMine(readFileSync(join(chart, 'example-values.yaml'), 'utf8')).replace(
    /^postgres:[\s\S]*?^ingress:/m,
    'ingress:',
  );
  writeFileSync(file, `${others}${inCluster}`);
  const installation = readInstallation(file, chart);
  expect(findFaults(installation)).toEqual([]);
  expect(installation.settings.get('NATS_HOST')).toBe('nats.servers.svc');
});

test('another scaler of writers beside KEDA is named by its file', () => {
  const folder = join(makeFolder(), 'mine');
  cpSync(join(k8s, 'overlays/example'), folder, { recursive: true });
  writeFileSync(
    join(folder, 'scaler.yaml'),
    'kind: HorizontalPodAutoscaler\nspec:\n  scaleTargetRef:\n    name: writer\n',
  );
  edit(join(folder, 'kustomization.yaml'), (text) =>
    text.replace('resources:\n', 'resources:\n  - scaler.yaml\n').replace(...withComponents('keda')),
  );
  expect(findFaults(readInstallation(folder, chart)).join('\n')).toMatch(
    /components\/keda: .*scaler\.yaml scales writers too/,
  );
});

test('an older copy, whose settings change what stands before them, is told of the order', () => {
  const folder = join(makeFolder(), 'mine');
  cpSync(join(k8s, 'overlays/example'), folder, { recursive: true });
  rmSync(join(folder, 'settings/replacements.yaml'));
  edit(join(folder, 'kustomization.yaml'), (text) => text.replace(...withComponents('keda', 'create-roles')));
  edit(join(folder, 'settings/settings.env'), (text) => toMine(text).replace(/^(?:INSTANCE|RETENTION_\w+)=.*\n/gm, ''));
  expect(findFaults(readInstallation(folder, chart))).toEqual([
    expect.stringMatching(/^components: keda must stand before settings/),
  ]);
});

test('values of the chart are named as the chart names them', () => {
  const file = join(makeFolder(), 'values.yaml');
  const mine = toMine(readFileSync(join(chart, 'example-values.yaml'), 'utf8'));
  writeFileSync(file, mine);
  expect(findFaults(readInstallation(file, chart))).toEqual([]);
  const faulty = mine
    .replace('days: 184', 'days: 100')
    .replace('requiredBy: "none"', 'requiredBy: "eu-ai-act"')
    .replace('agents.acme.test', 'agents.example.com')
    .replace('keda:\n  enabled: false', 'keda:\n  enabled: true')
    .replace('nats.acme.test:8222', 'nats.acme.test:4222');
  writeFileSync(file, `${faulty}\ngateway: { enabled: true }\n`);
  expect(findFaults(readInstallation(file, chart))).toEqual([
    "ingress.host: agents.example.com is the example's, not yours",
    'ingress.enabled, gateway.enabled: one of them',
    'keda.natsMonitoring: has the port of clients, nats.port; that of monitoring is 8222',
    'retention.days: 100 is less than the 183 days that eu-ai-act asks for',
  ]);
});

test('values that the chart does not take, or that do nothing, are named beside what is missing', () => {
  const file = join(makeFolder(), 'values.yaml');
  writeFileSync(
    file,
    toMine(readFileSync(join(chart, 'example-values.yaml'), 'utf8'))
      .replace('clusterIssuer', 'clusterissuer')
      .replace('agents.acme.test', 'agents.example.com')
      .replace('egressProxy:\n  enabled: false\n', 'egressProxy:\n')
      .concat(
        'proxy: { config: { AGENT_IDENTITI: open, AGENT_IDENTITY: maybe, PII_SCAN: off, PROVIDER_OPENAI_API_KEY: sk-1, PROVIDER_AZURE_API_KEY_FILE: /a } }\negresProxy: {}\nprivateCa: true\nwriter: 3\n',
      ),
  );
  expect(findFaults(readInstallation(file, chart))).toEqual([
    'ingress.clusterissuer: is no value of the chart; its values.yaml has all',
    'proxy.config.AGENT_IDENTITY: Invalid option: expected one of "open"|"token"',
    'proxy.config.PII_SCAN: Invalid option: expected one of "on"|"off"',
    'writer: Invalid input: expected object, received number',
    'privateCa: Invalid input: expected object, received boolean',
    'egresProxy: is no value of the chart; its values.yaml has all',
    'egressProxy.enabled: is not set, so egressProxy.url, egressProxy.network, egressProxy.port, egressProxy.noProxy does nothing: say true or false',
    "ingress.host: agents.example.com is the example's, not yours",
    'proxy.config.AGENT_IDENTITI: nothing reads this variable',
    'proxy.config.PROVIDER_OPENAI_API_KEY: would stand in a ConfigMap: give PROVIDER_OPENAI_API_KEY_FILE, and the key to agp-provider-keys',
    'proxy.config.PROVIDER_AZURE_API_KEY_FILE: is no file of /run/secrets/providers, where agp-provider-keys is',
  ]);
});

test('two installations that would share what one needs alone are named', () => {
  const one = readCopy();
  const other = readCopy({ kustomization: ['namespace: agp', 'namespace: agp-two'] });
  expect(findCollisions(one, one)[0]).toMatch(/both are INSTANCE=agp of the namespace agp/);
  expect(findCollisions(one, other)).toEqual([
    expect.stringMatching(/AGENTS_HOST/),
    expect.stringMatching(/POSTGRES_HOST/),
    expect.stringMatching(/NATS_HOST is nats\.acme\.test in both, and its stream/),
    expect.stringMatching(/REDIS_HOST/),
  ]);
  const near = readCopy({ settings: [/^INSTANCE=.*$/m, 'INSTANCE=second'] });
  expect(findCollisions(one, near)[0]).toMatch(/INSTANCE=agp selects the other's pods too/);
});

test("Secrets that name another server or port than the policies' are named", () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'proxy'));
  writeFileSync(join(folder, 'proxy/nats-url'), 'tls://proxy:word@nats.acme.test:4223');
  writeFileSync(
    join(folder, 'proxy/database-url'),
    'postgres://agp_proxy:word@postgres.acme.test/agp?sslmode=verify-full',
  );
  writeFileSync(join(folder, 'proxy/redis-url'), 'rediss://proxy:word@redis-2.acme.test:6379/0');
  expect(findSecretFaults(readCopy(), folder)).toEqual([
    'NATS_PORT: policies open 4222, and proxy/nats-url of the secrets names nats.acme.test:4223',
    'REDIS_HOST: is redis.acme.test, and proxy/redis-url of the secrets names redis-2.acme.test',
  ]);
});

test('an authority that no pod has, and a key that is not there, are named', () => {
  const folder = makeFolder();
  for (const name of ['proxy', 'provider-keys']) mkdirSync(join(folder, name));
  writeFileSync(
    join(folder, 'proxy/database-url'),
    'postgres://agp_proxy:word@postgres.acme.test/agp?sslmode=verify-full&sslrootcert=/etc/agp-ca/ca.crt',
  );
  writeFileSync(join(folder, 'provider-keys/openai'), 'sk-1');
  const keys = ['OPENAI', 'MISTRAL'].map(
    (name) => `PROVIDER_${name}_API_KEY_FILE=/run/secrets/providers/${name.toLowerCase()}`,
  );
  expect(findSecretFaults(readCopy({ kustomization: withLiterals('proxy', ...keys) }), folder)).toEqual([
    'components/private-ca: is missing, and proxy/database-url of the secrets asks for its /etc/agp-ca/ca.crt',
    "PROVIDER_MISTRAL_API_KEY_FILE: /run/secrets/providers/mistral is none of the secrets' provider-keys: openai",
  ]);
  const withAuthority = () => readCopy({ kustomization: withComponents('private-ca') });
  expect(findSecretFaults(withAuthority(), folder)).toEqual([]);
  writeFileSync(join(folder, 'proxy/nats-url'), 'nats://proxy:word@nats.acme.test:4222');
  expect(findSecretFaults(withAuthority(), folder)).toEqual(
    ['proxy', 'writer', 'management'].map((service) =>
      expect.stringMatching(new RegExp(`^NATS_CA_FILE of the ConfigMap ${service}: .* it must be empty$`)),
    ),
  );
});
