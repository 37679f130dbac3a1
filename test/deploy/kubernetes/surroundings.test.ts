import { expect, test } from 'vitest';
import { renderExample } from './chart/variants.ts';
import { type KubernetesObject, listContainers, listWorkloads } from './render-kustomization.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const render = (...components: string[]) => renderExample({ components: [...components, 'settings'] });
const findPolicy = (objects: KubernetesObject[], name: string) =>
  objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name);
const findMap = (objects: KubernetesObject[], name: string) =>
  objects.find(({ kind, metadata }) => kind === 'ConfigMap' && new RegExp(`^${name}-[^-]+$`).test(metadata.name))?.data;

describeWithKustomize('what a cluster has around us', () => {
  test('no sidecar of a mesh comes into a pod, and no pod of ours is chosen by its labels less', async () => {
    const [plain, meshed] = [await render('create-roles'), await render('create-roles', 'mesh')];
    const pods = listWorkloads(meshed);
    expect(pods.length).toBe(5);
    for (const [place, { name, template }] of pods.entries()) {
      expect(template.metadata?.labels, name).toEqual({
        ...listWorkloads(plain)[place]?.template.metadata?.labels,
        'sidecar.istio.io/inject': 'false',
      });
      expect(template.metadata?.annotations, name).toMatchObject({ 'linkerd.io/inject': 'disabled' });
    }
  });

  test("pods ask the DNS cache of their node, and still the cluster's", async () => {
    const [rule] = findPolicy(await render('node-local-dns'), 'to-dns')?.spec.egress ?? [];
    expect(rule.to).toHaveLength(2);
    expect(rule.to).toContainEqual({ ipBlock: { cidr: '169.254.20.10/32' } });
  });

  test('OpenShift gives users and groups itself, all else that restricts a pod stays; its DNS is asked', async () => {
    const objects = await render('create-roles', 'openshift');
    for (const workload of listWorkloads(objects)) {
      expect(workload.template.spec.securityContext, workload.name).toEqual({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { securityContext } of listContainers(workload))
        expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
    }
    const egress = findPolicy(objects, 'to-dns')?.spec.egress;
    expect(egress).toHaveLength(2);
    expect(egress[1].ports.map(({ port }: { port: number }) => port)).toEqual([5353, 5353]);
  });

  test('proxies and management go out by the HTTP proxy that settings name, and may reach it', async () => {
    const objects = await render('egress-proxy');
    const url = 'http://egress.example.internal:3128';
    expect(findMap(objects, 'egress-proxy')).toEqual({
      HTTPS_PROXY: url,
      HTTP_PROXY: url,
      NO_PROXY: '.example.internal',
    });
    const users = listWorkloads(objects).filter((workload) =>
      listContainers(workload).some(({ envFrom }) =>
        envFrom?.some(({ configMapRef }) => configMapRef?.name?.startsWith('egress-proxy-')),
      ),
    );
    const names = users.map(({ name }) => name).sort();
    const policy = findPolicy(objects, 'to-egress-proxy')?.spec;
    expect(policy.podSelector.matchExpressions[0].values.toSorted()).toEqual(names);
    expect(names).toEqual(['management', 'proxy']);
    expect(policy.egress[0]).toMatchObject({ to: [{ ipBlock: { cidr: '192.0.2.64/28' } }], ports: [{ port: 3128 }] });
  });

  test('agents in the cluster reach the proxy alone, which believes no header of theirs', async () => {
    const objects = await render('in-cluster-agents');
    expect(findMap(objects, 'proxy')?.TRUST_PROXY).toBe('0');
    expect(findMap(objects, 'management')?.TRUST_PROXY).toBe('1');
    const open = objects.filter((each) => JSON.stringify(each.spec ?? '').includes('agent-governance-proxy/agents'));
    expect(open.map(({ spec }) => spec.podSelector.matchLabels)).toEqual([{ 'app.kubernetes.io/name': 'proxy' }]);
    expect(open[0]?.spec.ingress[0].ports).toEqual([{ protocol: 'TCP', port: 'http' }]);
  });
});
