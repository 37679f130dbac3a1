import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parse, stringify } from 'yaml';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { productionOverlay } from './overlays.ts';
import { type KubernetesObject, renderKustomization } from './render-kustomization.ts';

export const manifests = join(workspaceFolder, 'k8s');
/** All of them, as paths within `k8s`. */
export const listComponents = () =>
  globSync('components/*/kustomization.yaml', { cwd: manifests })
    .map((path) => dirname(path))
    .sort();

/** The product's, which its images and labels have. */
export function readVersion(): string {
  const { labels } = parse(readFileSync(join(manifests, 'components/version/kustomization.yaml'), 'utf8')) as {
    labels: { pairs: Record<string, string> }[];
  };
  return labels[0]?.pairs['app.kubernetes.io/version'] ?? '';
}

/** Production with some components, as if it lay beside it. */
export async function renderWith(names: readonly string[]): Promise<KubernetesObject[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agp-components-')));
  try {
    const folder = join(root, 'overlay');
    mkdirSync(folder);
    const to = (path: string) => relative(folder, join(manifests, path));
    const isOperator = names.some((name) => name.includes('operator'));
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      namespace: 'agp',
      resources: [relative(folder, productionOverlay), ...(isOperator ? [to('operator')] : [])],
      components: names.map(to),
    };
    writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
    return await renderKustomization(folder);
  } finally {
    rmSync(root, { recursive: true });
  }
}
