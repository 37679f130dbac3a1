import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { asked, commandsOf, makeOverlay, plan } from './deployments.ts';
import { picture } from './picture.ts';
import { renderKustomization } from './render-kustomization.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const page = readFileSync(join(workspaceFolder, 'docs/deploy.md'), 'utf8');
const readBlock = (name: string) => new RegExp(`^\`\`\`yaml ${name}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';

describeWithKustomize('docs/deploy.md', () => {
  test('its example has all options that it needs', () => {
    const [, example = ''] = /^npm run deploy:kubernetes -- (--host .*?[^\\])\n```/ms.exec(page) ?? [];
    const options = example.split(/[\s\\]+/);
    // What it leaves out is told by the help: who makes the roles.
    expect(commandsOf(plan(options)).length).toBeLessThanOrEqual(8);
  });

  test('its two lines for a replay fit into the overlay of a command', async () => {
    const { folder } = makeOverlay(asked.at(-1)?.[1] ?? []);
    const file = join(folder, 'operator/kustomization.yaml');
    const lines = readFileSync(file, 'utf8').split('\n');
    const args = lines.findIndex((line) => line.includes('containers/0/args'));
    writeFileSync(file, lines.toSpliced(args, 1, readBlock('replay').trimEnd()).join('\n'));
    const job = (await renderKustomization(join(folder, 'operator'))).find(({ kind }) => kind === 'Job');
    const [container] = job?.spec.template.spec.containers ?? [];
    const [node, script, ...rest] = container?.command ?? [];
    expect([node, existsSync(join(workspaceFolder, script)), rest]).toEqual(['node', true, []]);
    expect(container?.args).toEqual(['--since', expect.stringMatching(/Z$/)]);
  });

  test('its label reaches all that the Prometheus operator reads', async () => {
    const { folder } = makeOverlay(asked.at(-1)?.[1] ?? []);
    const file = join(folder, 'kustomization.yaml');
    const [, release = ''] = readBlock('release').split('patches:\n');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('\npatches:\n', (line) => line + release),
    );
    const labelled = (await renderKustomization(folder)).filter(({ apiVersion }) =>
      apiVersion.startsWith('monitoring.coreos.com/'),
    );
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

  test('its table of connections is what the policies let through', () => {
    const [, table = ''] = /^### Who may connect to whom\n(.*?)^### /ms.exec(page) ?? [];
    const names = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const rows = [...table.matchAll(/^\| (`.+) \| (`.+) \| (\d+\/\w+) \|$/gm)].flatMap(([, from, to, port]) =>
      names(from).flatMap((source) => names(to).map((target) => `${source} -> ${target} ${port}`)),
    );
    expect(rows.sort()).toEqual(picture);
  });

  test('each folder of k8s/ that it names is there, and none is left out', () => {
    const [, table = ''] = /^\| Folder of `k8s\/`.*?\n(.*?)\n\n/ms.exec(page) ?? [];
    const isFolder = (name = '') => existsSync(join(workspaceFolder, 'k8s', name, 'kustomization.yaml'));
    const named = [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].flatMap(([, first = '', second = '']) => {
      const folders = [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      return [
        ...folders,
        ...[...second.matchAll(/`([^`]+)`/g)]
          .map(([, name]) => name)
          .filter((name) => name?.includes('/') && isFolder(name)),
      ];
    });
    const there = globSync('**/kustomization.yaml', { cwd: join(workspaceFolder, 'k8s') }).map((path) =>
      join(path, '..'),
    );
    // An overlay of one's own lies beside ours.
    expect(named.sort()).toEqual(there.filter((path) => !path.startsWith('overlays/mine')).sort());
  });
});
