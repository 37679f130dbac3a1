import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { onTestFinished } from 'vitest';
import { type DeploymentPlan, planDeployment } from '../../../packages/operator/src/kubernetes/plan-deployment.ts';
import { deploymentOptions } from '../../../packages/operator/src/kubernetes/read-deployment.ts';
import { writeOverlay } from '../../../packages/operator/src/kubernetes/write-overlay.ts';
import { workspaceFolder } from '../../workspace/run-tool.ts';

/** A folder that goes with the test. */
export function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agp-deploy-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const outside = [
  ...['--postgres', 'db.acme.test:6432', '--postgres-network', '10.20.0.0/24,fd00:20::/64'],
  ...['--nats', 'nats.acme.test:4223', '--nats-network', '10.20.1.0/24'],
  ...['--redis', 'redis.acme.test:6380', '--redis-network', '10.20.2.0/24'],
];
export const inside = [
  '--postgres',
  'pg-rw.data.svc:5432',
  '--nats',
  'nats.nats.svc:4222',
  '--redis',
  'redis.cache.svc.cluster.local:6379',
];
const common = ['--host', 'agents.acme.test', '--registry', 'registry.acme.test/agp'];

/** Sets of options, from few to all. */
export const asked: [name: string, options: string[]][] = [
  ['the least', [...common, ...outside, '--ingress', 'nginx', '--certificate', 'a.crt', '--certificate-key', 'a.key']],
  [
    'servers in the cluster',
    [...common, ...inside, '--ingress', 'traefik', '--issuer', 'acme', '--admin-url', 'admin.txt'],
  ],
  [
    'an authority, and NATS in the cluster',
    [
      ...[...common, '--ingress', 'nginx', '--issuer', 'acme', '--authority', 'ca.crt', '--nats', 'nats.nats.svc:4222'],
      ...['--postgres', 'db.acme.test:5432', '--postgres-network', '10.20.0.0/24'],
      ...['--redis', 'redis.acme.test:6379', '--redis-network', '10.20.2.0/24'],
    ],
  ],
  [
    'several servers of each',
    [
      ...[...common, '--ingress', 'nginx', '--certificate', 'a.crt', '--certificate-key', 'a.key'],
      ...['--postgres', 'pg-1.acme.test:5432,pg-2.acme.test:5433', '--postgres-network', '10.20.0.0/24'],
      ...['--nats', 'nats-0.nats.bus.svc:4222,nats-1.nats.bus.svc:4222,nats.spare.svc:4222'],
      ...['--redis', 'sentinel://s-1.acme.test:26379,s-2.acme.test:26379/main', '--redis-port', '6380'],
      ...['--redis-network', '10.20.2.0/24'],
    ],
  ],
  [
    'Gateway API',
    [...common, ...outside, '--ingress', 'gateway', '--gateway', 'infra/public', '--ingress-namespace', 'infra'],
  ],
  [
    'Gateway API for both',
    [
      ...[...common, ...outside, '--ingress', 'gateway', '--gateway', 'infra/public', '--ingress-namespace', 'infra'],
      ...['--management-host', 'governance.acme.test', '--management-gateway', 'infra/internal'],
      ...['--oidc-issuer', 'https://id.acme.test/realms/staff', '--oidc-client', 'agp'],
    ],
  ],
  [
    'all of it',
    [
      ...[...common, ...outside, '--ingress', 'haproxy', '--ingress-class', 'public', '--ingress-namespace', 'edge'],
      ...['--issuer', 'acme', '--management-host', 'governance.acme.test', '--management-class', 'inside'],
      ...['--management-ingress-namespace', 'staff'],
      ...['--authority', 'ca.crt', '--provider-keys', 'openai,azure-openai', '--keda', 'nats.acme.test:8222'],
      ...['--plain', 'redis', '--database', 'governance', '--pull-secret', 'registry'],
      ...['--pod-monitor', '--monitoring-namespace', 'monitoring'],
      ...['--oidc-issuer', 'https://id.acme.test:8443', '--oidc-client', 'agp', '--oidc-secret', 'oidc.txt'],
      ...['--oidc-network', '10.20.9.0/24'],
    ],
  ],
];

/** One of these sets. */
export const optionsOf = (name: string) => asked.find(([each]) => each === name)?.[1] ?? [];

/** What the command makes of its options, in a folder of its own. */
export function plan(options: readonly string[], folder = join(makeFolder(), 'overlay')) {
  const args = options.map((each) => (each === 'ca.crt' ? writeAuthority(dirname(folder)) : each));
  const { values } = parseArgs({ args, options: deploymentOptions });
  return planDeployment(values, { root: workspaceFolder, folder });
}

/** Those of its steps that are commands. */
export const commandsOf = ({ steps }: DeploymentPlan) =>
  steps.flatMap((step) => ('command' in step ? step.command : []));

function writeAuthority(folder: string): string {
  const file = join(folder, 'ca.crt');
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n');
  return file;
}

/** An overlay, written, that goes with the test. */
export const makeOverlay = (options: readonly string[]) => makeOverlayIn(makeFolder(), options);

/** An overlay, written into a new folder in another. */
export function makeOverlayIn(parent: string, options: readonly string[]) {
  const planned = plan(options, join(mkdtempSync(join(parent, 'at-')), 'overlay'));
  writeOverlay(planned.folder, planned.files, { overwrite: false });
  return { folder: planned.folder, commands: commandsOf(planned) };
}
