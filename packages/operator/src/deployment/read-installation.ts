import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, type Tags } from 'yaml';
import { CommandError } from '../run-command.ts';
import { dropInvalid, findIdle } from './check-values.ts';
import { parts, type SettingName, settings } from './settings.ts';

/** One deployment as its overlay or its values for helm describe it. */
export interface Installation {
  path: string;
  /** Null if helm is told it. */
  namespace: string | null;
  settings: Map<string, string>;
  /** Names of components, in their order; one several times if it is there several times. */
  parts: string[];
  /** Variables by service, of the overlay's own: what it leaves as it is, is missing. */
  variables: Record<string, Record<string, string>>;
  /** Settings that this installation has something else in place of. */
  replaced: Set<string>;
  /** Texts beside the settings, with the place that they stand at. */
  texts: [string, string][];
  /** How a fault names a setting and a part. */
  nameOf: (setting: string) => string;
  partOf: (part: string) => string;
  /** What values have that the chart does not take, or that does nothing. */
  faults: string[];
  /** Null for values, where the chart does all of that. */
  overlay: Overlay | null;
}

/** What of an overlay can be forgotten. */
export interface Overlay {
  namePrefix: string;
  labels: { pairs?: Record<string, string>; includeSelectors?: boolean }[];
  replacements: { path?: string }[];
  hasReplacementsFile: boolean;
  /** Namespace and prefix of the overlay for an operator's command. */
  operator: { namespace?: string; namePrefix?: string } | null;
  scalersOfWriter: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: somebody else's file, of which each member is looked for.
type Yaml = any;

/** `22:30` and `2026-01-01` are texts to both. */
const withoutTimes = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === 'string' || (tag.tag !== 'tag:yaml.org,2002:timestamp' && tag.format !== 'TIME'));

/** As helm and kustomize read it, to whom `off` is false. */
function readYaml(file: string): Yaml {
  try {
    return parse(readFileSync(file, 'utf8'), { version: '1.1', customTags: withoutTimes }) ?? {};
  } catch (error) {
    throw new CommandError(`${file}: cannot be read: ${(error as Error).message}`);
  }
}

const toPairs = (text: string) =>
  [...text.matchAll(/^\s*([A-Za-z_]\w*)=(.*)$/gm)].map(([, key = '', value = '']): [string, string] => [
    key,
    value.trim(),
  ]);

/**
 * @param path a folder with `settings/settings.env`, or a file of values
 * @throws CommandError if it is neither
 */
export function readInstallation(path: string, chartFolder: string): Installation {
  if (!existsSync(path)) throw new CommandError(`${path}: is not there`);
  return statSync(path).isDirectory() ? readOverlay(path) : readValues(path, chartFolder);
}

function readOverlay(path: string): Installation {
  const kustomization = readYaml(join(path, 'kustomization.yaml'));
  const env = join(path, 'settings/settings.env');
  if (!existsSync(env)) throw new CommandError(`${env}: is not there; k8s/overlays/example is the overlay to copy`);
  const list = (name: string): Yaml[] => kustomization[name] ?? [];
  const operator = join(path, 'operator/kustomization.yaml');
  const local = list('resources')
    .map((name) => join(path, name))
    .filter((file) => /\.ya?ml$/.test(file) && existsSync(file));
  return {
    path,
    namespace: kustomization.namespace ?? 'default',
    settings: new Map(toPairs(readFileSync(env, 'utf8'))),
    parts: list('components').map((name) => basename(name)),
    variables: readVariables(kustomization, path),
    replaced: new Set(
      list('patches')
        .filter(({ patch }) => /\/spec\/egress\/0\/to(?!\/)/.test(String(patch)))
        .map(({ target }) => `${String(target?.name).replace('to-', '').toUpperCase()}_NETWORK`),
    ),
    texts: ['configMapGenerator', 'patches'].flatMap((name) =>
      [...JSON.stringify(list(name)).matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']): [string, string] => [
        name,
        text,
      ]),
    ),
    nameOf: (setting) => setting,
    partOf: (part) => `components/${part}`,
    faults: [],
    overlay: {
      namePrefix: kustomization.namePrefix ?? '',
      labels: list('labels'),
      replacements: list('replacements'),
      hasReplacementsFile: existsSync(join(path, 'settings/replacements.yaml')),
      operator: existsSync(operator) ? readYaml(operator) : null,
      scalersOfWriter: local.filter((file) =>
        /kind: HorizontalPodAutoscaler[\s\S]*scaleTargetRef:[\s\S]*name: writer/.test(readFileSync(file, 'utf8')),
      ),
    },
  };
}

/** What generators and patches of the overlay give to the ConfigMaps of services; patches come last in kustomize too. */
function readVariables(kustomization: Yaml, path: string): Installation['variables'] {
  const variables: Installation['variables'] = {};
  const add = (name: string, pairs: [string, string][]) => {
    variables[name] = { ...variables[name], ...Object.fromEntries(pairs) };
  };
  for (const { name, literals = [], envs = [] } of kustomization.configMapGenerator ?? []) {
    for (const file of envs)
      if (existsSync(join(path, file))) add(name, toPairs(readFileSync(join(path, file), 'utf8')));
    add(name, toPairs(literals.join('\n')));
  }
  for (const { target, patch } of kustomization.patches ?? []) {
    if (target?.kind !== 'ConfigMap' || typeof patch !== 'string') continue;
    const operations = parse(patch);
    for (const { path: place = '', value } of Array.isArray(operations) ? operations : [])
      if (place.startsWith('/data/')) add(target.name, [[place.slice(6), String(value ?? '')]]);
  }
  return variables;
}

const lookUp = (values: Yaml, path: string): Yaml => path.split('.').reduce((inner, key) => inner?.[key], values);

function merge(under: Yaml, over: Yaml): Yaml {
  if (over === undefined || over === null) return under;
  if (typeof over !== 'object' || Array.isArray(over) || typeof under !== 'object') return over;
  const keys = new Set([...Object.keys(under ?? {}), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(under?.[key], over[key])]));
}

function readValues(path: string, chartFolder: string): Installation {
  const defaults = readYaml(join(chartFolder, 'values.yaml'));
  const { faults, values: own } = dropInvalid(readYaml(path), readYaml(join(chartFolder, 'values.schema.json')));
  const values = merge(defaults, own);
  const texts = ['proxy', 'writer', 'management'].flatMap((service) =>
    Object.entries(values[service].config).map(([key, value]): [string, string] => [
      `${service}.config.${key}`,
      String(value),
    ]),
  );
  const toText = ([service = '', config]: [string, Yaml]) => [service, config] as const;
  return {
    path,
    namespace: null,
    settings: new Map(Object.entries(settings).map(([name, { value }]) => [name, String(lookUp(values, value) ?? '')])),
    parts: Object.entries(parts)
      .filter(([, value]) => lookUp(values, value) === true)
      .map(([part]) => part),
    variables: Object.fromEntries(
      ['proxy', 'writer', 'management'].map((service) =>
        toText([
          service,
          Object.fromEntries(Object.entries(values[service].config).map(([key, value]) => [key, String(value)])),
        ]),
      ),
    ),
    replaced: new Set([
      ...(values.ingress.clusterIssuer === '' ? ['CLUSTER_ISSUER'] : []),
      ...['postgres', 'nats', 'redis']
        .filter((server) => values[server].network === '' && values[server].extraPeers.length > 0)
        .map((server) => `${server.toUpperCase()}_NETWORK`),
    ]),
    texts,
    nameOf: (setting) => settings[setting as SettingName]?.value ?? setting,
    partOf: (part) => parts[part] ?? part,
    faults: [...faults, ...findIdle(own, defaults)],
    overlay: null,
  };
}
