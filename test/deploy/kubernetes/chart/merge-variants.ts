import type { KubernetesObject } from '../render-kustomization.ts';

/** A member of a map or list, which is there if all conditions hold. */
export interface Entry {
  key: string;
  when: string[];
  node: Node;
}

/** Manifests of which parts are there under conditions. A choice is one of two scalars; raw text is the template's own. */
export type Node =
  | { type: 'map' | 'list'; entries: Entry[] }
  | { type: 'scalar'; value: unknown }
  | { type: 'choice'; when: string; yes: Node; no: Node }
  | { type: 'raw'; lines: string[] };

type Json = Record<string, unknown>;
const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export const scalar = (value: unknown): Node => ({ type: 'scalar', value });
export const entry = (key: string, node: Node, ...when: string[]): Entry => ({ key, when, node });

export function toNode(value: unknown): Node {
  if (Array.isArray(value))
    return { type: 'list', entries: value.map((item, index) => entry(String(index), toNode(item))) };
  if (!isMap(value)) return scalar(value);
  return { type: 'map', entries: Object.entries(value).map(([key, item]) => entry(key, toNode(item))) };
}

/** Members of a list by a key of their own: their name, else their place. */
function toKeyed(items: unknown[], others: unknown[]): [string, unknown][] {
  return items.map((item, index) => {
    if (isMap(item) && typeof item.name === 'string') return [`name ${item.name}`, item];
    const place = others.findIndex((other) => isSame(other, item));
    return [place >= 0 ? `same ${JSON.stringify(item)}` : `place ${index}`, item];
  });
}

function fail(path: string, why: string): never {
  throw new Error(`${path}: ${why}; the chart's generator does not know what to make of it`);
}

/** Notes in a tree of `core` what a variant has other than `core` has, under its condition. */
function addVariant(node: Node, core: unknown, variant: unknown, when: string, path: string): Node {
  if (isSame(core, variant)) return node;
  if (Array.isArray(core) && Array.isArray(variant) && node.type === 'list') {
    const before = toKeyed(core, variant);
    const after = toKeyed(variant, core);
    addEntries(node.entries, before, after, when, path);
    return node;
  }
  if (isMap(core) && isMap(variant) && node.type === 'map') {
    addEntries(node.entries, Object.entries(core), Object.entries(variant), when, path);
    return node;
  }
  if (node.type !== 'scalar') return fail(path, 'two parts change the same');
  return { type: 'choice', when, yes: toNode(variant), no: node };
}

/** The entries of `core` are the first of a list of entries, in their order: what was added stands behind. */
function addEntries(
  entries: Entry[],
  core: [string, unknown][],
  variant: [string, unknown][],
  when: string,
  path: string,
): void {
  const after = new Map(variant);
  const before = new Map(core);
  for (const [place, [key, value]] of core.entries()) {
    const known = entries[place];
    if (known === undefined) fail(path, `${key} is missing`);
    else if (!after.has(key)) known.when.push(`not ${when}`);
    else known.node = addVariant(known.node, value, after.get(key), when, `${path}/${key}`);
  }
  for (const [key, value] of variant) {
    if (before.has(key)) continue;
    const node = toNode(value);
    const rival = entries.slice(core.length).find((each) => each.key === key && !key.startsWith('place'));
    if (rival && isSame(rival.node, node))
      rival.when = [`or ${[...rival.when, when].map((each) => `(${each})`).join(' ')}`];
    else if (rival) fail(path, `two parts add ${key}`);
    else entries.push(entry(key, node, when));
  }
}

const toId = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`;

/** An object of the chart, which is there if all conditions hold. */
export interface Template {
  id: string;
  kind: string;
  name: string;
  when: string[];
  node: Node;
}

/** All objects of production and of variants of it, as one tree each. */
export function mergeVariants(
  core: KubernetesObject[],
  variants: { when: string; objects: KubernetesObject[] }[],
): Template[] {
  const toTemplate = (object: KubernetesObject, ...when: string[]): Template => {
    return { id: toId(object), kind: object.kind, name: object.metadata.name, when, node: toNode(object) };
  };
  const templates = core.map((object) => toTemplate(object));
  for (const { when, objects } of variants) {
    const found = new Map(objects.map((object) => [toId(object), object]));
    for (const [place, object] of core.entries()) {
      const template = templates[place];
      const variant = found.get(toId(object));
      if (template === undefined) continue;
      if (variant === undefined) template.when.push(`not ${when}`);
      else template.node = addVariant(template.node, object, variant, when, template.id);
      found.delete(toId(object));
    }
    for (const object of found.values()) templates.push(toTemplate(object, when));
  }
  return templates;
}
