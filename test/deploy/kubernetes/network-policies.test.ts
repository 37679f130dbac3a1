import { readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { everything, localOverlay, overlays, productionOverlay } from './overlays.ts';
import { type KubernetesObject, listWorkloads, renderKustomization } from './render-kustomization.ts';
import { describeWithKustomize } from './with-kustomize.ts';

/** What stands in policies, by its name in docs/deploy.md. */
const known: Record<string, string> = {
  'kubernetes.io/metadata.name=kube-system k8s-app=kube-dns': 'dns',
  'acme.cert-manager.io/http01-solver=true': 'solver',
  ...{ '192.0.2.16/28': 'postgres', '192.0.2.32/28': 'nats', '192.0.2.48/28': 'redis' },
  ...{ '0.0.0.0/0': 'provider', '2000::/3': 'provider-v6' },
  ...{ '192.0.2.64/28': 'egress-proxy', '169.254.20.10/32': 'node-local-dns' },
};

function listNames({ ipBlock, namespaceSelector, podSelector }: KubernetesObject['spec']): string[] {
  const [names] = podSelector?.matchExpressions ?? [];
  if (names?.key === 'app.kubernetes.io/name' && names.operator === 'In' && !namespaceSelector) {
    expect(podSelector.matchLabels).toEqual({ 'app.kubernetes.io/part-of': 'agent-governance-proxy' });
    return names.values;
  }
  if (namespaceSelector && !namespaceSelector.matchLabels) return ['somebody else'];
  const named = names ? { [names.key]: names.values.join() } : {};
  const labels = Object.entries({ ...namespaceSelector?.matchLabels, ...podSelector?.matchLabels, ...named });
  const text = labels.map(([key, value]) => `${key}=${value}`).join(' ');
  const [, place] = /^(?:agent-governance-proxy\/(?=\w+=true$)|app\.kubernetes\.io\/name=)([\w-]+)/.exec(text) ?? [];
  return [place ?? known[ipBlock?.cidr ?? text] ?? 'somebody else'];
}

/** What the policies of one direction let through, as `from -> to port/protocol`. */
function listRules(objects: KubernetesObject[], direction: 'ingress' | 'egress'): string[] {
  const ports = listWorkloads(objects).flatMap(({ name, template }) =>
    template.spec.containers.flatMap((each) =>
      (each.ports ?? []).map((port) => [`${name} ${port.name}`, port.containerPort] as const),
    ),
  );
  const numbers = new Map<string, number>(ports);
  const rules = objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .flatMap(({ spec }) => {
      const pods = listNames({ podSelector: spec.podSelector });
      return (spec[direction] ?? []).flatMap(({ from = [], to = [], ports }: KubernetesObject['spec']) => {
        const peers: string[] = (from.length + to.length === 0 ? [{}] : [...from, ...to]).flatMap(listNames);
        const pairs = pods.flatMap((pod) => peers.map((peer) => (direction === 'egress' ? [pod, peer] : [peer, pod])));
        return pairs.flatMap(([source, target]) =>
          (ports?.length > 0 ? ports : [{ port: 'any', protocol: 'any' }]).map(
            ({ port, protocol }: KubernetesObject['spec']) =>
              `${source} -> ${target} ${numbers.get(`${target} ${port}`) ?? port}/${protocol}`,
          ),
        );
      });
    });
  return rules.sort();
}

/** The table of docs/deploy.md, and what an operator's command reaches. */
function readTable(): string[] {
  const page = readFileSync(join(workspaceFolder, 'docs/deploy.md'), 'utf8');
  const names = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  const rows = [...page.matchAll(/^\| (`.+) \| (`.+) \| (\d+\/\w+(?:, \d+\/\w+)*) \|$/gm)].flatMap(
    ([, from, to, ports = '']) =>
      names(from).flatMap((source) =>
        names(to).flatMap((target) => ports.split(', ').map((port) => `${source} -> ${target} ${port}`)),
      ),
  );
  const operator = ['dns 53/TCP', 'dns 53/UDP', 'nats 4222/TCP', 'postgres 5432/TCP'];
  return [...rows, ...operator.map((to) => `operator -> ${to}`)].sort();
}

const directions = ['ingress', 'egress'] as const;
const listBoth = (objects: KubernetesObject[]) => directions.flatMap((each) => listRules(objects, each)).sort();
const servers = / -> (?:postgres|nats|redis|demo-provider) /;

describeWithKustomize('who may connect to whom', () => {
  test.each(overlays)('%s: nothing passes but what is named', async (folder) => {
    const policies = (await renderKustomization(folder)).filter(({ kind }) => kind === 'NetworkPolicy');
    const find = (isAll: boolean) => policies.filter(({ metadata }) => (metadata.name === 'deny-all') === isAll);
    expect(find(true).map(({ spec }) => spec)).toEqual([{ podSelector: {}, policyTypes: ['Ingress', 'Egress'] }]);
    for (const { spec } of find(false)) expect(spec.policyTypes).toEqual([spec.ingress ? 'Ingress' : 'Egress']);
  });

  test('in production it is the table of docs/deploy.md; components add what they are for', async () => {
    const production = listBoth(await renderKustomization(productionOverlay));
    expect(production).toEqual(readTable());
    const added = listBoth(await renderKustomization(everything)).filter((rule) => !production.includes(rule));
    const nodeLocal = ['TCP', 'UDP'].map((protocol) => `node-local-dns 53/${protocol}`);
    const dns = (pod: string) => nodeLocal.map((to) => `${pod} -> ${to}`);
    expect(added).toEqual([
      'agents -> proxy 8080/TCP',
      'ingress -> solver 8089/TCP',
      ...dns('maintain'),
      'management -> egress-proxy 3128/TCP',
      'management -> monitoring 9093/TCP',
      ...dns('management'),
      // By two components.
      ...['management -> provider 443/TCP', 'management -> provider 443/TCP'],
      ...['management -> provider 465/TCP', 'management -> provider 587/TCP'],
      ...['management -> provider-v6 443/TCP', 'management -> provider-v6 443/TCP'],
      ...['management -> provider-v6 465/TCP', 'management -> provider-v6 587/TCP'],
      ...dns('migrate'),
      ...dns('operator'),
      'proxy -> egress-proxy 3128/TCP',
      ...dns('proxy'),
      'proxy -> tracing 4318/TCP',
      ...dns('writer'),
    ]);
  });

  test('in a trial it is the table too; servers let in whom they serve, and Grafana', async () => {
    const local = await renderKustomization(localOverlay);
    const letOut = [...readTable(), 'proxy -> demo-provider 8090/TCP'].filter((rule) => servers.test(rule)).sort();
    const letIn = [...letOut, 'monitoring -> postgres 5432/TCP'].sort();
    expect(directions.map((each) => listRules(local, each).filter((rule) => servers.test(rule)))).toEqual([
      letIn,
      letOut,
    ]);
    const others = (rules: string[]) => rules.filter((rule) => !servers.test(rule));
    expect(others(listBoth(local))).toEqual(others(readTable()));
  });

  test('the way to providers leads to no metadata service, node, Service or private address', async () => {
    const objects = await renderKustomization(productionOverlay);
    const policy = objects.find(({ metadata }) => metadata.name === 'proxy-to-providers');
    const family = (address = '') => (isIPv6(address.split('/')[0] ?? '') ? 'ipv6' : 'ipv4');
    const isIn = (address: string, network: string) => {
      const list = new BlockList();
      const [start = '', bits] = network.split('/');
      list.addSubnet(start, Number(bits), family(network));
      return family(address) === family(network) && list.check(address, family(address));
    };
    const blocks: { ipBlock: { cidr: string; except: string[] } }[] = policy?.spec.egress[0].to;
    const reached = [
      ...['169.254.169.254', '100.100.100.200', '168.63.129.16', '10.96.0.1', '172.20.0.1', '192.168.1.1', '127.0.0.1'],
      ...['0.0.0.0', '224.0.0.1', 'fd00:ec2::254', '::1', 'fe80::1', 'ff02::1', '::ffff:169.254.169.254'],
      ...['64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '104.18.6.192', '2606:4700::6812:6c0'],
    ].filter((address) =>
      blocks.some(({ ipBlock }) => isIn(address, ipBlock.cidr) && !ipBlock.except.some((each) => isIn(address, each))),
    );
    expect(reached).toEqual(['104.18.6.192', '2606:4700::6812:6c0']);
  });
});
