import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { findFaults } from '../../../packages/operator/src/deployment/find-faults.ts';
import { readInstallation } from '../../../packages/operator/src/deployment/read-installation.ts';
import { readSnippets } from '../../docs/read-snippets.ts';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { listContainers, listWorkloads, renderKustomization } from './render-kustomization.ts';
import { findSchemaError } from './schemas.ts';
import { makeSecretManifests } from './secret-manifests.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const page = readFileSync(join(workspaceFolder, 'docs/deploy.md'), 'utf8');
const [commands = '', trial = '', patches = '', replay = '', release = '', second = '', helm = ''] = [
  'sh production',
  'sh trial',
  'yaml patches',
  'yaml replay',
  'yaml release',
  'yaml second',
  'sh helm',
].map((name) => readSnippets('docs/deploy.md', name)[0] ?? '');
const lines = commands.trimEnd().split('\n');
const settingsFile = 'k8s/overlays/mine/settings/settings.env';

/** The repository's manifests in a folder that goes with the test, with what the page's first two commands make: an overlay with settings. */
function makeOverlay(edit: (kustomization: string) => string = (text) => text): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agp-deploy-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const filter = (path: string) => !/overlays\/mine|node_modules/.test(path);
  for (const folder of ['k8s', 'packages/monitoring'])
    cpSync(join(workspaceFolder, folder), join(root, folder), { recursive: true, filter });
  execFileSync('bash', ['-c', lines[0] ?? ''], { cwd: root });
  const settings = join(root, settingsFile);
  const text = readFileSync(settings, 'utf8')
    .replaceAll('example.com', 'acme.test')
    .replaceAll('example.internal', 'acme.test')
    .replaceAll('192.0.2.', '10.20.0.')
    .replaceAll('_PORT=', '_PORT=1');
  writeFileSync(settings, text);
  const file = join(root, 'k8s/overlays/mine/kustomization.yaml');
  writeFileSync(file, edit(readFileSync(file, 'utf8')));
  return join(root, 'k8s/overlays/mine');
}

const render = (edit?: (kustomization: string) => string) => renderKustomization(makeOverlay(edit));
const withComponents =
  (...names: string[]) =>
  (text: string) =>
    text.replace('components:\n', `components:\n${names.map((name) => `  - ../../components/${name}\n`).join('')}`);

describeWithKustomize('docs/deploy.md', () => {
  test('its commands are ten at most, and bash, npm and the Dockerfile know them', () => {
    expect(lines.length).toBeLessThanOrEqual(10);
    const dockerfile = readFileSync(join(workspaceFolder, 'Dockerfile'), 'utf8');
    for (const text of [commands, trial, helm]) {
      execFileSync('bash', ['-n', '-c', text]);
      for (const [, script = ''] of text.matchAll(/npm run (?:--silent )?([\w:-]+)/g))
        expect(Object.keys(manifest.scripts)).toContain(script);
      const [, images = ''] = /for image in ([\w -]+);/.exec(text) ?? [];
      for (const image of images.split(' ').filter(Boolean))
        expect(dockerfile).toMatch(new RegExp(`^FROM .* AS ${image}$`, 'm'));
    }
  });

  test('all that its commands name is there: settings, folders, Deployments, Services, images and Secrets', async () => {
    const overlay = makeOverlay();
    const settings = readFileSync(join(workspaceFolder, settingsFile.replace('mine', 'example')), 'utf8');
    for (const [, name] of commands.matchAll(/\$([A-Z]+(?:_[A-Z]+)?)\b/g))
      expect(settings).toMatch(new RegExp(`^${name}=`, 'm'));
    const folders = [...commands.matchAll(/kubectl apply -k k8s\/overlays\/mine(\S*)/g)].map(([, path = '']) => path);
    expect(folders).toEqual(['', '/operator']);
    const objects = (await Promise.all(folders.map((path) => renderKustomization(join(overlay, path))))).flat();
    for (const [, kind, name] of commands.matchAll(/\b(deployment|service)\/(\w+)/g))
      expect(objects.some((each) => each.kind.toLowerCase() === kind && each.metadata.name === name)).toBe(true);
    const workloads = listWorkloads(objects);
    expect(workloads.filter(({ kind }) => kind === 'Job').map(({ name }) => name)).toEqual(['migrate', 'operator']);
    const [, images = ''] = /for image in ([\w ]+);/.exec(commands) ?? [];
    const pushed = images
      .split(' ')
      .map((image) => `registry.acme.test/agent-governance-proxy/${image}:${manifest.version}`);
    const used = new Set(workloads.flatMap(listContainers).map(({ image }) => image));
    expect([...used].sort()).toEqual(pushed.sort());
    const made = makeSecretManifests().map(({ metadata }) => metadata.name);
    for (const { template } of workloads)
      for (const { secret } of template.spec.volumes ?? [])
        if (secret && !secret.optional) expect(made).toContain(secret.secretName);
  });

  test('its overlay has every setting where it belongs, no placeholder, and no object that is not valid', async () => {
    const objects = await render(withComponents('ingress-management', 'keda'));
    expect(JSON.stringify(objects)).not.toMatch(/example\.(com|internal)|192\.0\.2\.[1-9]/);
    const errors = await Promise.all(objects.map(findSchemaError));
    expect(errors.filter((error) => error !== null)).toEqual([]);
    const find = (kind: string, name: string) =>
      objects.find((each) => each.kind === kind && each.metadata.name.startsWith(name));
    expect(find('Ingress', 'proxy')).toMatchObject({
      metadata: { annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' } },
      spec: {
        ingressClassName: 'nginx',
        rules: [{ host: 'agents.acme.test' }],
        tls: [{ hosts: ['agents.acme.test'] }],
      },
    });
    expect(find('Ingress', 'management')?.spec).toMatchObject({
      ingressClassName: 'internal',
      rules: [{ host: 'management.acme.test' }],
    });
    expect(find('ConfigMap', 'management')?.data).toMatchObject({ CONSOLE_PROXY_ADDRESS: 'https://agents.acme.test' });
    expect(find('ScaledObject', 'writer')?.spec.triggers[0].metadata.natsServerMonitoringEndpoint).toBe(
      'nats.acme.test:8222',
    );
    expect(find('ConfigMap', 'settings')).toBeUndefined();
    const servers = ['to-postgres', 'to-nats', 'to-redis'].map((name) => find('NetworkPolicy', name)?.spec.egress);
    expect(servers).toEqual([
      [{ to: [{ ipBlock: { cidr: '10.20.0.16/28' } }], ports: [{ protocol: 'TCP', port: 15_432 }] }],
      [{ to: [{ ipBlock: { cidr: '10.20.0.32/28' } }], ports: [{ protocol: 'TCP', port: 14_222 }] }],
      [{ to: [{ ipBlock: { cidr: '10.20.0.48/28' } }], ports: [{ protocol: 'TCP', port: 16_379 }] }],
    ]);
  });

  test('its overlay takes a Gateway in place of the controller, and roles that the cluster makes', async () => {
    const objects = await render((text) =>
      withComponents(
        'create-roles',
        'gateway-management',
      )(text).replace('components/ingress-nginx', 'components/gateway'),
    );
    const hosts = objects.filter(({ kind }) => kind === 'HTTPRoute').map(({ spec }) => spec.hostnames);
    expect(hosts.sort()).toEqual([['agents.acme.test'], ['management.acme.test']]);
    const job = listWorkloads(objects)
      .filter(({ name }) => name === 'migrate')
      .flatMap(listContainers);
    expect(job.map(({ image }) => image?.split('/')[0])).toEqual(['registry.acme.test', 'registry.acme.test']);
  });

  test('its lines for a second installation in a namespace go with its setting', async () => {
    const folder = makeOverlay((text) => text.replace(/^labels:\n(?: .*\n)+/m, second));
    const settings = join(folder, 'settings/settings.env');
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('INSTANCE=agp', 'INSTANCE=second'));
    expect(findFaults(readInstallation(folder, join(workspaceFolder, 'k8s/chart')))).toEqual([]);
    const proxy = (await renderKustomization(folder)).find(({ metadata }) => metadata.name === 'second-proxy');
    expect(proxy?.metadata.labels?.['app.kubernetes.io/instance']).toBe('second');
  });

  test('its patches fit into the overlay', async () => {
    const objects = await render((text) => text + patches);
    const find = (name: string) =>
      objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name);
    expect(JSON.stringify(find('to-nats')?.spec.egress[0].to)).toBe(
      '[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"servers"}}}]',
    );
    expect(find('to-redis')?.spec.egress[0].ports).toHaveLength(2);
    for (const account of objects.filter(({ kind }) => kind === 'ServiceAccount'))
      expect(account.imagePullSecrets).toEqual([{ name: 'registry' }]);
  });

  test('its two lines for a replay fit into the overlay of a command', async () => {
    const folder = join(makeOverlay(), 'operator');
    const file = join(folder, 'kustomization.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^.*containers\/0\/args.*\n/m, replay));
    const job = (await renderKustomization(folder)).find(({ kind }) => kind === 'Job');
    const [container] = job?.spec.template.spec.containers ?? [];
    const [node, script, ...rest] = container?.command ?? [];
    expect([node, existsSync(join(workspaceFolder, script)), rest]).toEqual(['node', true, []]);
    expect(container?.args).toEqual(['--since', expect.stringMatching(/Z$/)]);
  });

  test('its label reaches all that the Prometheus operator reads', async () => {
    const objects = await render((text) => withComponents('pod-monitor')(text) + release);
    const labelled = objects.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com/'));
    expect(labelled.map(({ kind, metadata }) => [kind, metadata.labels?.release])).toEqual([
      ['PodMonitor', 'kube-prometheus-stack'],
      ['PrometheusRule', 'kube-prometheus-stack'],
    ]);
  });

  test("what it has applied where Grafana runs names no other namespace, and the password's mount is the data source's", async () => {
    const [, path = ''] = /`kubectl apply -k (\S+) --namespace monitoring`/.exec(page) ?? [];
    const objects = await renderKustomization(join(workspaceFolder, path));
    expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(objects.map(() => undefined));
    const source = objects.find(({ metadata }) => metadata.name === 'agp-grafana-datasources');
    const [, folder, file] = /\$__file\{(.+)\/(.+?)\}/.exec(source?.data?.['agp.yml'] ?? '') ?? [];
    expect(page).toContain(`Mount the password at \`${folder}\``);
    expect(page).toContain(`--from-file=${file}=secrets/grafana/`);
  });

  test('every folder of k8s/ says at its top what it is for, and every component that it names is there', () => {
    const folder = join(workspaceFolder, 'k8s');
    for (const path of globSync('**/kustomization.yaml', { cwd: folder }))
      expect(readFileSync(join(folder, path), 'utf8'), path).toMatch(/^apiVersion: .+\nkind: .+\n# \w/);
    const named = [...page.matchAll(/`(components\/[\w-]+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !existsSync(join(folder, name, 'kustomization.yaml')))).toEqual([]);
  });
});
