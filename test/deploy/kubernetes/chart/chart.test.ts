import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parts } from '../../../../packages/operator/src/deployment/settings.ts';
import { listComponents, manifests } from '../components.ts';
import { type KubernetesObject, renderKustomization } from '../render-kustomization.ts';
import { findSchemaError, findUnknownFields } from '../schemas.ts';
import { describeWithHelm } from '../with-kustomize.ts';
import { listChartFiles } from './chart-files.ts';
import { atPath, chart, exampleValues, renderChart, runHelm } from './render-chart.ts';
import { renderExample } from './variants.ts';

/** Objects by kind and name; lists of things with names in the order of these, which means nothing to a cluster. */
function sort(objects: KubernetesObject[]): Record<string, unknown> {
  const order = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const items: { name?: unknown }[] = value.map(order as (item: unknown) => object);
      const isNamed = items.every((item) => typeof item?.name === 'string');
      return isNamed ? items.toSorted((a, b) => String(a.name).localeCompare(String(b.name))) : items;
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, order(item)]));
  };
  return Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, order(object)]));
}

const example = ['ingress-nginx', 'http01', 'settings'];
/** What is in the example already, or in place of what is. */
const withPart = (part: string) =>
  part === 'gateway' ? ['gateway', 'http01', 'settings'] : [...new Set([...example, part])];
const valuesOf = (part: string) => {
  if (part === 'gateway') return { ingress: { enabled: false }, gateway: { enabled: true } };
  // Beside an ingress this is for networks alone.
  if (part === 'in-cluster-agents') return { inClusterAgents: { enabled: true }, ingress: { enabled: false } };
  return atPath(parts[part] ?? '', true);
};

describeWithHelm('the chart', () => {
  test('is what "npm run generate" makes of the manifests, and nothing else but four files', async () => {
    const files = await listChartFiles();
    for (const { path, text } of files) expect(readFileSync(join(chart, path), 'utf8'), path).toBe(text);
    const own = ['.helmignore', 'templates/NOTES.txt', 'templates/_faults.tpl', 'templates/_names.tpl'];
    const all = globSync('**/*', { cwd: chart, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(chart.length + 1));
    expect(all.toSorted()).toEqual(
      [...files.map(({ path }) => path), ...own.slice(1), 'templates/faults.yaml'].toSorted(),
    );
  });

  test('has a value for every component that goes to a cluster with the services', () => {
    const others = ['ingress', 'ingress-haproxy', 'ingress-traefik', 'private-ca-operator', 'version'];
    const names = listComponents().map((path) => path.replace('components/', ''));
    expect([...Object.keys(parts), ...others].sort()).toEqual(names);
  });

  test("with the example's values is the overlay to copy, resource by resource", async () => {
    const overlay = await renderKustomization(join(manifests, 'overlays/example'));
    expect(overlay.length).toBeGreaterThan(30);
    expect(sort(await renderChart())).toEqual(sort(overlay));
  });

  test.each(Object.keys(parts))('with %s is the overlay with that component', async (part) => {
    const components = withPart(part).filter((each) => part !== 'in-cluster-agents' || each !== 'ingress-nginx');
    const overlay = await renderExample({ components });
    expect(sort(await renderChart(valuesOf(part)))).toEqual(sort(overlay));
  });

  test('with everything at once has valid objects, whose every field is known', async () => {
    const all = Object.values(parts).map((path) => atPath(path, true));
    const values = all.reduce((sum: Record<string, object>, each: object) => {
      for (const [key, value] of Object.entries(each)) sum[key] = { ...sum[key], ...value };
      return sum;
    }, {});
    const own = {
      ...values,
      gateway: {},
      management: { ingress: { enabled: true }, resources: { limits: { memory: '1Gi' } } },
      proxy: { config: { TRUST_PROXY: '10.1.0.0/16' }, autoscaling: { enabled: false } },
      nats: { extraPeers: [{ namespaceSelector: {} }], extraPorts: [{ protocol: 'TCP', port: 4223 }] },
      imagePullSecrets: [{ name: 'registry' }],
      image: { digests: { proxy: `sha256:${'0'.repeat(64)}` } },
      ...{ nodeSelector: { a: 'b' }, tolerations: [{ key: 'a', operator: 'Exists' }], podAnnotations: { a: 'b' } },
      podMonitor: { enabled: true, labels: { release: 'stack' } },
    };
    const objects = await renderChart(own);
    const errors = await Promise.all(objects.map(findSchemaError));
    expect(errors.filter((error) => error !== null)).toEqual([]);
    expect(await findUnknownFields(objects)).toEqual([]);
    const proxy = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'proxy');
    expect(proxy?.spec.replicas).toBe(3);
    expect(proxy?.spec.template.spec).toMatchObject({ nodeSelector: { a: 'b' }, tolerations: [{ key: 'a' }] });
    expect(proxy?.spec.template.spec.containers[0].image).toMatch(/\/proxy:[\d.]+@sha256:0+$/);
  });

  test('takes numbers as variables, and rolls pods when they change', async () => {
    const nameOf = async (values: object) => {
      const map = (await renderChart(values)).find(
        ({ kind, metadata }) => kind === 'ConfigMap' && /^proxy-[^-]+$/.test(metadata.name),
      );
      return [map?.metadata.name, map?.data?.MAX_REQUEST_BYTES];
    };
    const [before, after] = [await nameOf({}), await nameOf({ proxy: { config: { MAX_REQUEST_BYTES: 100_000_000 } } })];
    expect(after[1]).toBe('100000000');
    expect(after[0]).not.toBe(before[0]);
  });

  test('names every missing and contradictory value at once, and a misspelt one', async () => {
    await expect(renderChart({}, 'agp', false)).rejects.toThrow(
      /image\.repository: is not set\n(?:.*\n)*ingress\.host: is not set\n(?:.*\n)*postgres\.network: is not set/,
    );
    const faults = {
      gateway: { enabled: true },
      retention: { days: 90, requiredBy: 'eu-ai-act' },
      inClusterAgents: { enabled: true },
    };
    await expect(renderChart(faults)).rejects.toThrow(
      /ingress\.enabled, gateway\.enabled.*\n.*TRUST_PROXY.*\nretention\.days: eu-ai-act/,
    );
    await expect(renderChart({ replicas: 3 })).rejects.toThrow(/replicas/);
    await expect(renderChart({ postgres: { port: 'x' } })).rejects.toThrow(/postgres.*port|port.*postgres/s);
  });

  test('has nothing that helm lint would have otherwise', async () => {
    for (const values of [[], ['--values', exampleValues]]) {
      const printed = await runHelm('lint', chart, ...values);
      expect(printed.split('\n').filter((line) => /WARN|ERROR/.test(line))).toEqual([]);
    }
  });
});
