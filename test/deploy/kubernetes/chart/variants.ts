import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parse, stringify } from 'yaml';
import { parts, settings } from '../../../../packages/operator/src/deployment/settings.ts';
import { manifests } from '../components.ts';
import { type KubernetesObject, renderKustomization } from '../render-kustomization.ts';

/** Texts that stand in rendered manifests for what a value of the chart will be. */
export const prefixMark = 'zzprefixzz';
export const instanceMark = 'zzinstancezz';
export const namespaceMark = 'zznamespacezz';
/** A port's is a number that no manifest has otherwise. */
export const toMark = (setting: string) =>
  setting.endsWith('_PORT')
    ? String(64_000 + Object.keys(settings).indexOf(setting))
    : `zz${setting.toLowerCase().replaceAll('_', '')}zz`;
/** A ConfigMap whose name ends in a hash of what it holds. */
export const toMapMark = (name: string) => `zzmap:${name}zz`;

/** The overlay to copy, changed as a test or the chart wants it. */
export interface Edited {
  components: readonly string[];
  settings?: (text: string) => string;
  /** Members in place of the kustomization's own. */
  members?: object;
}

/** Renders the overlay to copy with other components and values, as if it lay beside it. */
export async function renderExample({ components, settings: edit, members }: Edited): Promise<KubernetesObject[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agp-example-')));
  try {
    const folder = join(root, 'overlay');
    cpSync(join(manifests, 'overlays/example'), folder, { recursive: true });
    const file = join(folder, 'kustomization.yaml');
    const to = (path: string) => relative(folder, join(manifests, path));
    const kustomization = {
      ...parse(readFileSync(file, 'utf8')),
      resources: [to('overlays/production')],
      components: components.map((name) => (name === 'settings' ? name : to(`components/${name}`))),
      ...members,
    };
    writeFileSync(file, stringify(kustomization));
    const values = join(folder, 'settings/settings.env');
    if (edit) writeFileSync(values, edit(readFileSync(values, 'utf8')));
    return await renderKustomization(folder);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const withMarks = (text: string) => text.replace(/^(\w+)=.*$/gm, (_, name: string) => `${name}=${toMark(name)}`);

/** Objects with marks, without the hashes that kustomize gives to names. */
async function renderVariant(components: readonly string[]): Promise<KubernetesObject[]> {
  const objects = await renderExample({
    components: [...components, 'settings'],
    settings: withMarks,
    members: {
      namespace: namespaceMark,
      namePrefix: prefixMark,
      labels: [{ pairs: { 'app.kubernetes.io/instance': instanceMark }, includeSelectors: true }],
    },
  });
  const hashed = /"zzprefixzz([a-z-]+)-[2456789bcdfghkmt]{10}"/g;
  const names = new Set(
    objects
      .filter(({ kind }) => kind === 'ConfigMap')
      .flatMap(({ metadata }) => [...JSON.stringify(metadata.name).matchAll(hashed)].map(([, name]) => name)),
  );
  const text = JSON.stringify(objects).replace(hashed, (all, name) =>
    names.has(name) ? JSON.stringify(toMapMark(name)) : all,
  );
  return JSON.parse(text);
}

/** Production with nothing beside it, and with each part alone under the condition that the chart has it by. */
export async function renderVariants() {
  const core = await renderVariant([]);
  const options: { when: string; objects: KubernetesObject[] }[] = [];
  for (const [component, value] of Object.entries(parts))
    options.push({ when: `.Values.${value}`, objects: await renderVariant([component]) });
  return { core, options };
}

/** Values of the chart by the marks that stand for them. */
export const marks = new Map(Object.entries(settings).map(([name, { value }]) => [toMark(name), value]));
