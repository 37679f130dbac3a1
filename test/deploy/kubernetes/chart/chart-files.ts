import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import manifest from '../../../../package.json' with { type: 'json' };
import { settings } from '../../../../packages/operator/src/deployment/settings.ts';
import { manifests, readVersion } from '../components.ts';
import { addValues } from './add-values.ts';
import { mergeVariants, type Node, type Template } from './merge-variants.ts';
import { values, writeSchema, writeSome, writeValues } from './values.ts';
import { prefixMark, renderVariants } from './variants.ts';
import { wrap, writeNode } from './write-template.ts';

const notice =
  '{{/* Made by "npm run generate" of k8s/base, overlays/production and components: change these. */ -}}\n';
/** Longer texts are files of the chart, in UTF-16 units. */
const longest = 400;

/** The file of an object: that of its service, or of its kind. */
function toFile({ kind, name }: Template): string {
  const bare = name.replace(prefixMark, '').replace(/^zzmap:|zz$/g, '');
  if (kind === 'NetworkPolicy') return 'network-policies';
  if (kind === 'Ingress' || kind === 'HTTPRoute') return 'ingress';
  if (kind.startsWith('Pod') && kind !== 'PodDisruptionBudget') return 'prometheus';
  if (kind === 'PrometheusRule') return 'prometheus';
  if (bare.startsWith('agp-')) return 'monitoring';
  return bare.replace(/-\d+-\d+-\d+$/, '').replace(/^proxy-files$/, 'proxy');
}

const find = (node: Node, key: string): Node | undefined =>
  node.type === 'map' ? node.entries.find((each) => each.key === key)?.node : undefined;

/** A ConfigMap's data as a template that others read as a dictionary; the object itself asks for it. */
function toData(template: Template): string[] {
  const [, name] = /^zzmap:(.+)zz$/.exec(template.name) ?? [];
  const data = find(template.node, 'data');
  if (name === undefined || data === undefined || template.node.type !== 'map') return [];
  for (const each of template.node.entries)
    if (each.key === 'data')
      each.node = {
        type: 'raw',
        lines: ['data:', `  {{- include "agp.configData" (list . "${name}") | fromJson | toYaml | nindent 2 }}`],
      };
  return [`{{- define "agp.data.${name}" }}`, ...writeNode(data, 0, true), '{{- end }}'];
}

/** Long texts of ConfigMaps become files, which are no templates. */
function takeFiles({ node, kind, name }: Template): { path: string; text: string }[] {
  const data = kind === 'ConfigMap' ? find(node, 'data') : undefined;
  if (data?.type !== 'map') return [];
  return data.entries.flatMap((each) => {
    if (each.node.type !== 'scalar' || String(each.node.value).length < longest) return [];
    const path = `files/${name.replace(`${prefixMark}agp-`, '')}/${each.key}`;
    const text = String(each.node.value);
    each.node = { type: 'raw', lines: [`${each.key}: {{ .Files.Get "${path}" | toJson }}`] };
    return [{ path, text }];
  });
}

/** The chart's description, with the version that k8s/components/version has. */
function writeChart(): string {
  const { name, description } = manifest;
  const version = readVersion();
  const about = { apiVersion: 'v2', name, description, type: 'application', version, appVersion: version };
  return `# Made by "npm run generate".\n${stringify({ ...about, kubeVersion: '>=1.30.0-0' }, { lineWidth: 0 })}`;
}

/** The values that settings.env of the overlay to copy has. */
function writeExample(): string {
  const text = readFileSync(join(manifests, 'overlays/example/settings/settings.env'), 'utf8');
  const given = new Map<string, unknown>();
  for (const [, name = '', value = ''] of text.matchAll(/^(\w+)=(.*)$/gm)) {
    const setting = settings[name as keyof typeof settings];
    given.set(setting.value, name === 'REGISTRY' ? `${value}/agent-governance-proxy` : parse(value));
    const part = setting.value.replace(/[^.]+$/, 'enabled');
    if (values.some(({ path, value: usual }) => path === part && usual === false)) given.set(part, false);
  }
  return `${writeSome(given)}`;
}

/** Every generated file of the chart, with its path within `k8s/chart`. */
export async function listChartFiles(): Promise<{ path: string; text: string }[]> {
  const { core, options } = await renderVariants();
  const templates = mergeVariants(core, options);
  addValues(templates);
  const files: { path: string; text: string }[] = [];
  const data: string[] = [];
  const pages = new Map<string, string[]>();
  for (const template of templates) {
    files.push(...takeFiles(template));
    data.push(...toData(template));
    const lines = wrap(template.when, ['---', ...writeNode(template.node, 0)]);
    pages.set(toFile(template), [...(pages.get(toFile(template)) ?? []), ...lines]);
  }
  const page = (lines: string[]) => `${notice}${lines.join('\n')}\n`;
  return [
    { path: 'Chart.yaml', text: writeChart() },
    { path: 'values.yaml', text: writeValues() },
    { path: 'values.schema.json', text: writeSchema() },
    { path: 'example-values.yaml', text: writeExample() },
    { path: 'templates/_data.tpl', text: page(data) },
    ...files,
    ...[...pages].map(([name, lines]) => ({
      path: `templates/${name}.yaml`,
      text: page(['{{- $prefix := include "agp.prefix" . }}', ...lines]),
    })),
  ];
}
