import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSnippets } from '../../docs/read-snippets.ts';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { type ComposeFile, findComposeFaults } from './check-compose.ts';
import { readCommands, turnRound } from './checks/check-upgrade.ts';

const text = readFileSync(join(workspaceFolder, 'docker-compose.yml'), 'utf8');
const read = () => parse(text, { merge: true }) as ComposeFile;
const inTemporaryFolder = <Result>(work: (folder: string) => Result): Result => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-compose-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const rules = {
  // What is built gets its name from `image`.
  'no-build-and-image': 0,
  // Compose 1.29 refuses it; the folder's name is used.
  'require-project-name-field': 0,
  'require-quotes-in-ports': [1, { quoteType: 'double' }],
  // Services stand in the order in which they start, keys in an order that reads well.
  'service-keys-order': 0,
  'services-alphabetical-order': 0,
} as const;

/** Each complaint of dclint as `line rule`. */
const lint = (content: string) =>
  inTemporaryFolder((folder) => {
    const file = join(folder, 'docker-compose.yml');
    writeFileSync(file, content);
    const linter = new DCLinter({ rules: rules as never, quiet: false, debug: false, exclude: [] });
    return (
      linter
        .lintFiles([file], false)
        // Its types do not resolve under Node's rules.
        .flatMap(({ messages }: { messages: { line: number; rule: string }[] }) =>
          messages.map(({ line, rule }) => `${line} ${rule}`),
        )
    );
  });

const made = inTemporaryFolder((folder) => {
  const command = join(workspaceFolder, 'packages/operator/src/commands/secrets.ts');
  execFileSync(process.execPath, [command, '--folder', folder], { stdio: 'ignore' });
  return new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
});

test('the compose file is one by its schema, and by dclint', () => {
  expect(lint(text)).toEqual([]);
});

test.each([
  ['invalid-schema', 'mem_limit: 1g', 'memory_limit: 1g'],
  ['service-image-require-explicit-tag', /image: postgres:[\d.]+@sha256:.*/, 'image: postgres'],
  ['no-unbound-port-interfaces', 'ports: ["127.0.0.1:', 'ports: ["'],
])('dclint names a planted fault: %s', (rule, from, to) => {
  const planted = text.replace(from, to);
  expect(planted).not.toBe(text);
  expect(lint(planted).join('\n')).toContain(rule);
});

test('the compose file keeps to the rules for it', () => {
  expect(Object.keys(read().services).length).toBeGreaterThan(10);
  expect(made.size).toBeGreaterThan(20);
  expect(findComposeFaults(read(), made)).toEqual([]);
});

type Plant = (file: ComposeFile) => void;
const plantInProxy =
  (change: Partial<ComposeFile['services'][string]>): Plant =>
  ({ services }) =>
    Object.assign(services.proxy ?? {}, change);
const plantVariable =
  (name: string, value: string): Plant =>
  ({ services }) =>
    Object.assign(services.proxy?.environment ?? {}, { [name]: value });

test.each<[string, Plant]>([
  ['proxy has no exact version', plantInProxy({ image: 'agent-governance-proxy/proxy:latest' })],
  ['proxy is not pinned by digest', plantInProxy({ image: 'redis:8.10.2' })],
  ['our images have several versions', plantInProxy({ image: 'agent-governance-proxy/proxy:0.1.9' })],
  ['proxy may write to its root file system', plantInProxy({ read_only: false })],
  ['proxy keeps capabilities', plantInProxy({ cap_drop: ['NET_RAW'] })],
  ['proxy may gain privileges', plantInProxy({ security_opt: [] })],
  ['proxy has no limits', ({ services }) => delete services.proxy?.mem_limit],
  ['proxy logs without bound', plantInProxy({ logging: { options: {} } })],
  ['proxy is not built with what .env says', plantInProxy({ build: { args: ['NODE_IMAGE'] } })],
  ['proxy publishes a port, which two', plantInProxy({ ports: ['127.0.0.1:8080:8080'] })],
  ['proxy does not trust its balancer', plantVariable('TRUST_PROXY', '0')],
  ['proxy stops before its balancer knows', plantVariable('DRAIN_DELAY_SECONDS', '1')],
  ['proxy does not say when', ({ services }) => delete services.proxy?.restart],
  ['proxy publishes a port beyond loopback', plantInProxy({ ports: ['8080:8080'] })],
  ['proxy publishes its ops port', plantInProxy({ ports: ['127.0.0.1:9080:9080'] })],
  ['proxy asks for other, which is not defined', plantInProxy({ secrets: ['other'] })],
  ['proxy has a secret in REDIS_URL', plantVariable('REDIS_URL', 'redis://redis:6379')],
  ['proxy has a secret in PROVIDERS_FILE', plantVariable('PROVIDERS_FILE', 'https://me:secret@example.com')],
  ['looks for /run/secrets/other, which it does not get', plantVariable('NATS_CA_FILE', '/run/secrets/other')],
  ['proxy does not read BUGDET', plantVariable('BUGDET', 'strict')],
  ['proxy may be killed before its 40 s', plantInProxy({ stop_grace_period: '40s' })],
  ['proxy may be killed before its 45 s', plantVariable('DRAIN_DELAY_SECONDS', '10')],
  [
    'other is not made by npm run secrets',
    ({ secrets }) => Object.assign(secrets, { other: { file: './secrets/other' } }),
  ],
])('a planted fault is named: %s', (fault, plant) => {
  const file = read();
  plant(file);
  expect(findComposeFaults(file, made).join('\n')).toContain(fault);
});

test.each(['proxy', 'writer', 'management'])('%s has the memory that it has on Kubernetes', (name) => {
  const manifest = readFileSync(join(workspaceFolder, `k8s/base/${name}.yaml`), 'utf8');
  const [, limit = ''] = /limits:[^-]*memory: (\d+[MG])i\n/.exec(manifest) ?? [];
  expect(read().services[name]?.mem_limit).toBe(limit.toLowerCase());
});

test('the trial on Kubernetes runs the same versions of servers', () => {
  const trial = readFileSync(join(workspaceFolder, 'k8s/overlays/local/kustomization.yaml'), 'utf8');
  const { images } = parse(trial) as { images: { name: string; newTag?: string; digest?: string }[] };
  const composed = new Set(Object.values(read().services).map(({ image }) => image));
  const servers = images.filter(({ name }) => name.startsWith('docker.io/library/'));
  const used = servers.map(({ name, newTag, digest }) => `${name.split('/').at(-1)}:${newTag}@${digest}`);
  expect(used.length).toBe(3);
  expect(used.filter((image) => !composed.has(image))).toEqual([]);
});

test('the commands of docs/operate.md for an upgrade name services and profiles that are there', () => {
  const commands = readSnippets('docs/operate.md', 'sh upgrade')[0] ?? '';
  execFileSync('bash', ['-n', '-c', commands]);
  const words = commands.split(/\s+/);
  for (const service of ['create-roles', 'migrate', 'writer', 'management', 'proxy', 'nats', 'redis']) {
    expect(words).toContain(service);
    expect(read().services).toHaveProperty(service);
  }
  expect(text).toContain('profiles: [demo]');
});

test('the way back from an upgrade runs proxies before writers, and leaves the schema', () => {
  const back = turnRound(readCommands()).split('\n');
  expect(back.join('\n')).not.toMatch(/migrate|create-roles/);
  expect(back.findIndex((line) => line.includes('writer'))).toBeGreaterThan(
    back.findIndex((line) => line.includes('stop')),
  );
});
