import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { IPodTemplateSpec } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { findTool } from './find-tools.ts';

/** An object as it would be sent to a cluster. What of it a policy reads, it narrows itself. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  data?: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: its shape depends on the kind, and is checked against the kind's schema.
  spec?: any;
  [other: string]: unknown;
}

/** The command that renders a kustomization, or null where this machine has none. Both work without a cluster. */
export function findKustomize(): [string, ...string[]] | null {
  const kustomize = findTool('kustomize');
  if (kustomize !== null) return [kustomize, 'build'];
  const kubectl = findTool('kubectl');
  return kubectl === null ? null : [kubectl, 'kustomize'];
}

/** What this worker has rendered: by the folder if it is the repository's, else by all that lies beside it. */
const renderings = new Map<string, Promise<KubernetesObject[]>>();

function toKey(folder: string): string {
  if (folder.startsWith(workspaceFolder)) return folder;
  const parent = dirname(folder);
  const files = readdirSync(parent, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => {
    const file = join(parentPath, name);
    return [relative(parent, file), readFileSync(file, 'utf8')];
  });
  return JSON.stringify([basename(folder), texts]);
}

/**
 * @param folder holds a `kustomization.yaml`
 * @returns objects of the caller's own
 * @throws with kustomize's own words when it does not render
 */
export async function renderKustomization(folder: string): Promise<KubernetesObject[]> {
  const key = toKey(folder);
  const rendering = renderings.get(key) ?? render(folder);
  renderings.set(key, rendering);
  return structuredClone(await rendering);
}

async function render(folder: string): Promise<KubernetesObject[]> {
  const kustomize = findKustomize();
  if (kustomize === null) throw new Error('neither kustomize nor kubectl is on the PATH');
  const [command, ...args] = kustomize;
  const { stdout } = await promisify(execFile)(command, [...args, folder], {
    maxBuffer: 16 * 1024 * 1024,
    // It ends before it has anything to collect, which was a third of its CPU time.
    env: { ...process.env, GOGC: 'off' },
  });
  return parseManifests(stdout);
}

/** What a cluster would be sent, of text as kubectl reads it: YAML 1.1, in which `0440` is octal and an unquoted `on` a boolean. */
export function parseManifests(text: string): KubernetesObject[] {
  return parseAllDocuments(text, { version: '1.1', uniqueKeys: true }).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw error;
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
}

export interface Workload {
  kind: string;
  /** Without the version that a Job's name ends in. */
  name: string;
  template: IPodTemplateSpec & { spec: NonNullable<IPodTemplateSpec['spec']> };
  object: KubernetesObject;
}

/** A name without what a generator or a version puts at its end. */
export function nameOf({ kind, metadata }: KubernetesObject): string {
  if (kind === 'ConfigMap') return metadata.name.replace(/-[^-]+$/, '');
  return metadata.name.replace(/(-\d+){3}$/, '');
}

/** Everything that makes pods. */
export function listWorkloads(objects: KubernetesObject[]): Workload[] {
  return objects.flatMap((object) => {
    const spec = object.kind === 'CronJob' ? object.spec.jobTemplate.spec : object.spec;
    if (spec?.template?.spec?.containers === undefined) return [];
    return [{ kind: object.kind, name: nameOf(object), template: spec.template, object }];
  });
}

/** A workload's containers, those that run before the others included. */
export function listContainers({ template }: Workload) {
  return [...(template.spec.initContainers ?? []), ...template.spec.containers];
}

export type Container = ReturnType<typeof listContainers>[number];
