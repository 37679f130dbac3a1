import { beforeAll, describe, expect, test } from 'vitest';
import { listFlows } from './network-flows.ts';
import { innerAddresses, otherPods, providers, servers, solver } from './outside-endpoints.ts';
import { everything, localOverlay, operatorCommand, productionOverlay } from './overlays.ts';
import { localPicture, operatorPicture, picture } from './picture.ts';
import { type KubernetesObject, renderKustomization } from './render-kustomization.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const outside = [...otherPods, ...providers, ...innerAddresses];

function remove(list: string[], entry: string): void {
  list.splice(list.indexOf(entry), 1);
}

describeWithKustomize('who may connect to whom', () => {
  let local: KubernetesObject[] = [];
  let production: KubernetesObject[] = [];
  beforeAll(async () => {
    local = await renderKustomization(localOverlay);
    production = await renderKustomization(productionOverlay);
  });

  test('in a trial it is the picture, and a simulated provider', () => {
    expect(listFlows(local, outside)).toEqual(localPicture);
  });

  test('in production it is the picture', () => {
    expect(listFlows(production, [...outside, ...servers])).toEqual(picture);
  });

  test('with every component it is the picture, traces, sign-in by OpenID, and what an operator runs', async () => {
    const flows = listFlows(await renderKustomization(everything), [...outside, ...servers]);
    const people = ['management -> provider 443/TCP', 'management -> provider-v6 443/TCP'];
    expect(flows).toEqual([...picture, ...operatorPicture, ...people, 'proxy -> collector 4318/TCP'].sort());
  });

  test("cert-manager's pods are reached by the ingress controller alone, with the component for it", async () => {
    const flowsOf = (objects: KubernetesObject[]) =>
      listFlows([...objects, solver], [...outside, ...servers]).filter((flow) => flow.includes('solver'));
    expect(flowsOf(production)).toEqual([]);
    expect(flowsOf(await renderKustomization(everything))).toEqual(['ingress -> solver 8089/TCP']);
  });

  test("a trial's servers let an operator's command in", async () => {
    const command = await renderKustomization(operatorCommand);
    const flows = listFlows([...local, ...command], outside).filter((flow) => flow.startsWith('operator'));
    expect(flows).toEqual(operatorPicture);
  });

  describe('the comparison sees', () => {
    const find = (objects: KubernetesObject[], name: string): KubernetesObject['spec'] =>
      objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name)?.spec;

    test.each<[string, string, (policy: KubernetesObject['spec']) => void, string]>([
      [
        'that nothing is denied',
        'deny-all',
        (policy) => policy.policyTypes.splice(0),
        'stranger -> other-namespace 22/TCP',
      ],
      [
        'a metadata service',
        'proxy-to-providers',
        ({ egress: [{ to: blocks }] }) => remove(blocks[0].ipBlock.except, '169.254.0.0/16'),
        'proxy -> 169.254.169.254 443/TCP',
      ],
      [
        'all of IPv6',
        'proxy-to-providers',
        ({ egress: [{ to: blocks }] }) => Object.assign(blocks[1].ipBlock, { cidr: '::/0' }),
        'proxy -> fd00:ec2::254 443/TCP',
      ],
      [
        'a port too many',
        'ingress-to-proxy',
        ({ ingress: [rule] }) => rule.ports.push({ protocol: 'TCP', port: 'ops' }),
        'ingress -> proxy 9080/TCP',
      ],
      [
        'a rule without ports',
        'monitoring-to-services',
        ({ ingress: [rule] }) => rule.ports.splice(0),
        'monitoring -> writer 9999/TCP',
      ],
      [
        'a rule for everybody',
        'ingress-to-management',
        ({ ingress: [rule] }) => rule.from.splice(0),
        'other-namespace -> management 8081/TCP',
      ],
      [
        'every namespace let in',
        'ingress-to-management',
        ({ ingress: [rule] }) => Object.assign(rule.from[0], { namespaceSelector: {} }),
        'other-namespace -> management 8081/TCP',
      ],
      [
        'a writer that reaches the internet',
        'proxy-to-providers',
        (policy) => Object.assign(policy, { podSelector: {} }),
        'writer -> provider 443/TCP',
      ],
    ])('%s', (_, name, plant, flow) => {
      const objects = structuredClone(local);
      plant(find(objects, name));
      expect(listFlows(objects, outside).filter((found) => !localPicture.includes(found))).toContain(flow);
    });

    test('a way that is missing', () => {
      const flows = listFlows(
        local.filter(({ metadata }) => metadata.name !== 'to-nats'),
        outside,
      );
      expect(localPicture.filter((flow) => !flows.includes(flow))).toEqual([
        'management -> nats 4222/TCP',
        'proxy -> nats 4222/TCP',
        'writer -> nats 4222/TCP',
      ]);
    });
  });
});
