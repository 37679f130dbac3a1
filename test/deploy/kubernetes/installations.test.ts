import { beforeAll, describe, expect, test } from 'vitest';
import { renderChart } from './chart/render-chart.ts';
import { renderExample } from './chart/variants.ts';
import { type KubernetesObject, listContainers, listWorkloads } from './render-kustomization.ts';
import { describeWithHelm } from './with-kustomize.ts';

const parts = [
  'create-roles',
  'gateway-management',
  'ingress-nginx',
  'keda',
  'pod-monitor',
  'egress-proxy',
  'settings',
];
const values = {
  ...{ createRoles: { enabled: true }, keda: { enabled: true }, podMonitor: { enabled: true } },
  ...{ egressProxy: { enabled: true }, management: { gateway: { enabled: true } } },
};
const withInstance = (word: string) => (text: string) => text.replace(/^INSTANCE=.*$/m, `INSTANCE=${word}`);
/** What docs/deploy.md has for a second one in a namespace. */
const second = (word: string) => ({
  namePrefix: `${word}-`,
  labels: [{ pairs: { 'app.kubernetes.io/instance': word }, includeSelectors: true }],
});
const byOverlay = {
  inNamespace: (namespace: string) => renderExample({ components: parts, members: { namespace } }),
  as: (word: string) => renderExample({ components: parts, settings: withInstance(word), members: second(word) }),
};
const byChart = {
  inNamespace: (namespace: string) => renderChart(values, namespace),
  as: (instance: string) => renderChart({ ...values, instance }),
};

const toId = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
const matches = (
  labels: Record<string, string> = {},
  { matchLabels = {}, matchExpressions = [] }: KubernetesObject['spec'],
) =>
  Object.entries<string>(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }: { key: string; values: string[] }) => values.includes(labels[key] ?? ''));

/** Every selector of pods of the objects' own namespace, by the object that has it. Nobody else's: those have a namespaceSelector. */
function listSelectors({ kind, spec }: KubernetesObject): KubernetesObject['spec'][] {
  if (kind === 'Service') return [{ matchLabels: spec.selector }];
  if (kind === 'NetworkPolicy') {
    const rules = [...(spec.ingress ?? []), ...(spec.egress ?? [])];
    const peers = rules.flatMap(({ from = [], to = [] }) => [...from, ...to]);
    const own = peers.filter(({ podSelector, namespaceSelector }) => podSelector && !namespaceSelector);
    return [spec.podSelector, ...own.map(({ podSelector }) => podSelector)].filter(
      (each) => Object.keys(each).length > 0,
    );
  }
  const spread = spec?.template?.spec?.topologySpreadConstraints ?? [];
  const selectors = spread.map(({ labelSelector }: KubernetesObject['spec']) => labelSelector);
  return [...(spec?.selector ? [spec.selector] : []), ...selectors];
}

/** What an object names that is, or is to be, in its namespace. */
function listReferences(object: KubernetesObject): string[] {
  const { kind, spec } = object;
  const found: string[] = [];
  if (kind === 'Ingress')
    for (const { http } of spec.rules)
      for (const { backend } of http.paths) found.push(`Service ${backend.service.name}`);
  if (kind === 'HTTPRoute')
    for (const { backendRefs } of spec.rules) for (const { name } of backendRefs) found.push(`Service ${name}`);
  if (kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject')
    found.push(`Deployment ${spec.scaleTargetRef.name}`);
  for (const workload of listWorkloads([object])) {
    found.push(`ServiceAccount ${workload.template.spec.serviceAccountName}`);
    for (const { configMap } of workload.template.spec.volumes ?? [])
      if (configMap && configMap.name !== 'agp-ca') found.push(`ConfigMap ${configMap.name}`);
    for (const { envFrom = [] } of listContainers(workload))
      for (const { configMapRef } of envFrom) found.push(`ConfigMap ${configMapRef?.name}`);
  }
  return found;
}

/** Secrets that an installation mounts or has its certificates put into. */
const listSecrets = (objects: KubernetesObject[]) => [
  ...new Set([...JSON.stringify(objects).matchAll(/"secretName":"([^"]+)"/g)].map(([, name = '']) => name)),
];

describeWithHelm('two installations in a cluster', () => {
  describe.each([
    ['overlays', byOverlay],
    ['the chart', byChart],
  ])('by %s', (_, { inNamespace, as }) => {
    let near: [KubernetesObject[], KubernetesObject[]] = [[], []];
    beforeAll(async () => {
      near = [await as('first'), await as('second')];
    });

    test('in two namespaces are the same, and share no object and name no namespace but their own', async () => {
      const [one, other] = [await inNamespace('agp'), await inNamespace('agp-two')];
      expect(JSON.stringify(other).replaceAll('"agp-two"', '"agp"')).toBe(JSON.stringify(one));
      expect([...one, ...other].filter(({ metadata }) => metadata.namespace === undefined)).toEqual([]);
      expect(new Set([...one, ...other].map(toId)).size).toBe(one.length + other.length);
    });

    test('in one namespace share neither an object nor a Secret', () => {
      const [one, other] = near;
      expect(new Set([...one, ...other].map(toId)).size).toBe(one.length + other.length);
      const [secrets, others] = near.map(listSecrets);
      expect(secrets?.length).toBeGreaterThan(6);
      expect(secrets?.filter((name) => others?.includes(name))).toEqual([]);
    });

    test('in one namespace select their own pods alone', () => {
      for (const objects of near)
        for (const object of objects)
          for (const selector of listSelectors(object)) {
            const podsOf = (all: KubernetesObject[]) =>
              listWorkloads(all).filter(({ template }) => matches(template.metadata?.labels, selector)).length;
            // What answers cert-manager is no pod of ours; an operator's command is another overlay.
            const isOurs = !JSON.stringify(selector).includes('acme');
            if (isOurs) expect(podsOf(objects), toId(object)).toBeGreaterThan(0);
            for (const others of near.filter((each) => each !== objects)) expect(podsOf(others), toId(object)).toBe(0);
          }
    });

    test('in one namespace name what they have themselves', () => {
      for (const objects of near) {
        const own = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
        const named = objects.flatMap(listReferences);
        expect(named.length).toBeGreaterThan(15);
        expect(named.filter((each) => !own.has(each))).toEqual([]);
      }
    });

    test("in one namespace still reach the cluster's DNS", () => {
      const [dns] = near[1].filter(({ metadata }) => metadata.name === 'second-to-dns');
      expect(JSON.stringify(dns?.spec.egress[0].to)).not.toContain('second');
    });
  });
});

describeWithHelm('components', () => {
  const all = [
    ...['alerts', 'create-roles', 'egress-proxy', 'http01', 'ingress-management', 'ingress-nginx', 'keda', 'mesh'],
    ...['monitoring', 'node-local-dns', 'oidc', 'openshift', 'pod-monitor', 'private-ca', 'settings', 'tracing'],
  ];
  const sort = (objects: KubernetesObject[]) => {
    // The order of things with names, and of a policy's peers, means nothing to a cluster; a changed ConfigMap's name would differ.
    const order = (value: unknown): unknown => {
      if (Array.isArray(value))
        return value.map(order).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, order(item)]));
    };
    return order(objects);
  };

  test('give the same in any order', async () => {
    const expected = sort(await renderExample({ components: all }));
    const middle = all.length / 2;
    const orders = [
      all.toReversed(),
      [...all.slice(middle), ...all.slice(0, middle)],
      // Each two in either order, in few renderings: even places, then odd ones backwards.
      [...all.filter((_, place) => place % 2 === 1).toReversed(), ...all.filter((_, place) => place % 2 === 0)],
      ['settings', ...all.filter((each) => each !== 'settings')],
    ];
    for (const components of orders)
      expect(sort(await renderExample({ components })), components.join()).toEqual(expected);
  });

  test.each([
    [['ingress-nginx', 'ingress-traefik', 'settings'], 'Ingress'],
    [['ingress-management', 'ingress-nginx', 'ingress-management', 'settings'], 'Ingress'],
  ])('%s twice is an error by name', async (components, name) => {
    await expect(renderExample({ components })).rejects.toThrow(name);
  });
});
