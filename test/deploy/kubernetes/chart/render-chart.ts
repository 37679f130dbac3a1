import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { manifests } from '../components.ts';
import { findTool } from '../find-tools.ts';
import { type KubernetesObject, parseManifests } from '../render-kustomization.ts';

const run = promisify(execFile);
export const chart = join(manifests, 'chart');
export const exampleValues = join(chart, 'example-values.yaml');

/** Runs helm, with folders of its own that go with the call. */
export async function runHelm(...args: string[]): Promise<string> {
  const helm = findTool('helm');
  if (helm === null) throw new Error('helm is neither on the PATH nor among the packages');
  const home = mkdtempSync(join(tmpdir(), 'agp-helm-'));
  try {
    const folders = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
    const { stdout } = await run(helm, args, { env: { ...process.env, ...folders }, maxBuffer: 16 * 1024 * 1024 });
    return stdout;
  } finally {
    rmSync(home, { recursive: true });
  }
}

/**
 * Renders the chart with the example's values, and some in place of these.
 *
 * @throws with helm's own words when it does not render
 */
export async function renderChart(
  values: object = {},
  namespace = 'agp',
  isExample = true,
): Promise<KubernetesObject[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agp-chart-'));
  try {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    const files = [...(isExample ? ['--values', exampleValues] : []), '--values', file];
    return parseManifests(await runHelm('template', 'agp', chart, '--namespace', namespace, ...files));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Values as an object, of a path with dots. */
export const atPath = (path: string, value: unknown): object =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
