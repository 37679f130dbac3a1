import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { productionOverlay } from './overlays.ts';
import { picture } from './picture.ts';
import { policies } from './policies/index.ts';
import { type KubernetesObject, renderKustomization } from './render-kustomization.ts';
import { compilerMs, findSchemaError, findUnknownFields } from './schemas.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const page = readFileSync(join(workspaceFolder, 'docs/deploy.md'), 'utf8');
const readBlock = (name: string) => new RegExp(`^\`\`\`yaml ${name}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';
const overlay = readBlock('overlay');
const operatorOverlay = readBlock('operator');

/** What the page tells to look for; the policy that keeps the proxy from reserved networks names one of them whole. */
const placeholder = new RegExp(/grep -E '([^']+)'/.exec(page)?.[1] ?? '$^');

/** An overlay of the page, as if it lay beside production. */
async function renderPage(overlay: string): Promise<KubernetesObject[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agp-overlay-')));
  try {
    const folder = join(root, 'acme');
    mkdirSync(folder);
    const beside = relative(folder, join(productionOverlay, '..'));
    const text = overlay.replaceAll(/(?<=- )\.\.\/(?=\.\.\/(components|operator)|production)/g, `${beside}/`);
    writeFileSync(join(folder, 'kustomization.yaml'), text);
    return await renderKustomization(folder);
  } finally {
    rmSync(root, { recursive: true });
  }
}

describeWithKustomize('docs/deploy.md', () => {
  test(
    "its overlay fills every placeholder of production's, and passes what production passes",
    async () => {
      const list = (objects: KubernetesObject[]) =>
        objects.map((each) => JSON.stringify(each)).filter((each) => placeholder.test(each));
      expect(list(await renderKustomization(productionOverlay)).length).toBeGreaterThan(8);
      const objects = await renderPage(overlay);
      expect(objects.length).toBeGreaterThan(30);
      expect(list(objects)).toEqual([]);
      expect(Object.values(policies).flatMap((policy) => [...policy(objects)])).toEqual([]);
      expect((await Promise.all(objects.map(findSchemaError))).filter((error) => error !== null)).toEqual([]);
      expect(await findUnknownFields(objects)).toEqual([]);
    },
    compilerMs,
  );

  test(
    'its overlay of a command has its registry, the password for that, and the authority',
    async () => {
      const objects = await renderPage(operatorOverlay);
      expect(objects.map(({ kind }) => kind).sort()).toEqual(['Job', 'ServiceAccount']);
      expect(Object.values(policies).flatMap((policy) => [...policy(objects)])).toEqual([]);
      expect((await Promise.all(objects.map(findSchemaError))).filter((error) => error !== null)).toEqual([]);
      const [account, job] = objects.toSorted((a, b) => b.kind.localeCompare(a.kind));
      expect(account).toMatchObject({ imagePullSecrets: [{ name: 'registry' }] });
      expect(job?.spec.template.spec.containers).toMatchObject([
        {
          image: expect.stringMatching(/^registry\.acme\.test\//),
          args: ['list'],
          env: expect.arrayContaining([{ name: 'NATS_CA_FILE', value: '/etc/agp-ca/ca.crt' }]),
          volumeMounts: expect.arrayContaining([expect.objectContaining({ mountPath: '/etc/agp-ca' })]),
        },
      ]);
    },
    compilerMs,
  );

  test(
    'its two lines for a replay fit into that overlay, and its label reaches all that the Prometheus operator reads',
    async () => {
      const args = operatorOverlay.split('\n').findIndex((line) => line.includes('containers/0/args'));
      const replaying = operatorOverlay.split('\n').toSpliced(args, 1, readBlock('replay').trimEnd()).join('\n');
      const job = (await renderPage(replaying)).find(({ kind }) => kind === 'Job');
      const [node, script, ...rest] = job?.spec.template.spec.containers[0].command ?? [];
      expect([node, existsSync(join(workspaceFolder, script)), rest]).toEqual(['node', true, []]);
      expect(job?.spec.template.spec.containers[0].args).toEqual(['--since', expect.stringMatching(/Z$/)]);

      const [, release = ''] = readBlock('release').split('patches:\n');
      const labelled = (await renderPage(overlay.replace('\npatches:\n', (line) => line + release))).filter(
        ({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com/'),
      );
      expect(labelled.map(({ kind, metadata }) => [kind, metadata.labels?.release])).toEqual([
        ['PodMonitor', 'kube-prometheus-stack'],
        ['PrometheusRule', 'kube-prometheus-stack'],
      ]);
    },
    compilerMs,
  );

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
    const named = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name).sort();
    const there = globSync('**/kustomization.yaml', { cwd: join(workspaceFolder, 'k8s') }).map((path) =>
      join(path, '..'),
    );
    expect(named).toEqual(there.sort());
  });
});
