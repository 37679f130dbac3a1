import { BlockList, isIPv6 } from 'node:net';
import type {
  INetworkPolicyPeer,
  INetworkPolicyPort,
  INetworkPolicySpec,
} from 'kubernetes-models/networking.k8s.io/v1';
import { type KubernetesObject, listWorkloads } from './render-kustomization.ts';

/** Something that may connect, be connected to, or both. */
export interface Endpoint {
  name: string;
  address: string;
  /** The labels of its namespace; null for what is no pod. */
  namespace: Record<string, string> | null;
  labels: Record<string, string>;
  /** Where it might be reached. */
  ports: { name?: string; number: number; protocol: string }[];
}

type Selector = NonNullable<INetworkPolicySpec['podSelector']>;

/** A policy's rule, of either direction. */
interface Rule {
  peers: INetworkPolicyPeer[] | undefined;
  ports: INetworkPolicyPort[] | undefined;
}

const ownNamespace = 'agp';
/** On every pod, so that a rule that names no port shows. */
const unusedPort = { number: 9_999, protocol: 'TCP' };

/** The pods that the objects make, one of each workload, and one that no policy knows. */
export function listPods(objects: KubernetesObject[]): Endpoint[] {
  const namespace = { 'kubernetes.io/metadata.name': ownNamespace };
  const pods = listWorkloads(objects).map(({ name, template }, index) => ({
    name,
    address: `10.244.0.${index + 1}`,
    namespace,
    labels: template.metadata?.labels ?? {},
    ports: [
      ...template.spec.containers.flatMap(({ ports = [] }) =>
        ports.map((port) => ({
          ...(port.name === undefined ? {} : { name: port.name }),
          number: port.containerPort,
          protocol: port.protocol ?? 'TCP',
        })),
      ),
      unusedPort,
    ],
  }));
  const stranger = { name: 'stranger', address: '10.244.0.250', namespace, labels: { app: 'stranger' } };
  return [...pods, { ...stranger, ports: [unusedPort] }];
}

function isSelected(selector: Selector, labels: Record<string, string>): boolean {
  const byLabels = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  const byExpressions = (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels[key];
    if (operator === 'In') return value !== undefined && values.includes(value);
    if (operator === 'NotIn') return value === undefined || !values.includes(value);
    return (operator === 'Exists') === (value !== undefined);
  });
  return byLabels && byExpressions;
}

function isWithin(address: string, cidr: string): boolean {
  const [network = '', bits] = cidr.split('/');
  const family = (text: string) => (isIPv6(text) ? 'ipv6' : 'ipv4');
  if (family(address) !== family(network)) return false;
  const block = new BlockList();
  block.addSubnet(network, Number(bits), family(network));
  return block.check(address, family(address));
}

function isPeer({ ipBlock, namespaceSelector, podSelector }: INetworkPolicyPeer, other: Endpoint): boolean {
  if (ipBlock !== undefined)
    return (
      isWithin(other.address, ipBlock.cidr) && !(ipBlock.except ?? []).some((cidr) => isWithin(other.address, cidr))
    );
  if (other.namespace === null) return false;
  const sameNamespace = other.namespace['kubernetes.io/metadata.name'] === ownNamespace;
  const inNamespace = namespaceSelector ? isSelected(namespaceSelector, other.namespace) : sameNamespace;
  return inNamespace && isSelected(podSelector ?? {}, other.labels);
}

function isPort({ port, endPort, protocol = 'TCP' }: INetworkPolicyPort, on: Endpoint['ports'][number]): boolean {
  if (protocol !== on.protocol) return false;
  if (port === undefined) return true;
  return typeof port === 'string' ? port === on.name : port <= on.number && on.number <= (endPort ?? port);
}

/** The rules that hold for a pod in one direction; null where no policy isolates it. */
function listRules(policies: INetworkPolicySpec[], pod: Endpoint, direction: 'Ingress' | 'Egress'): Rule[] | null {
  if (pod.namespace?.['kubernetes.io/metadata.name'] !== ownNamespace) return null;
  const isolating = policies.filter(
    ({ podSelector = {}, policyTypes }) => policyTypes?.includes(direction) && isSelected(podSelector, pod.labels),
  );
  if (isolating.length === 0) return null;
  return direction === 'Ingress'
    ? isolating.flatMap(({ ingress = [] }) => ingress.map(({ from: peers, ports }) => ({ peers, ports })))
    : isolating.flatMap(({ egress = [] }) => egress.map(({ to: peers, ports }) => ({ peers, ports })));
}

function isLet(rules: Rule[] | null, other: Endpoint, on: Endpoint['ports'][number]): boolean {
  if (rules === null) return true;
  return rules.some(
    ({ peers = [], ports = [] }) =>
      (peers.length === 0 || peers.some((peer) => isPeer(peer, other))) &&
      (ports.length === 0 || ports.some((port) => isPort(port, on))),
  );
}

/**
 * Every connection that the policies among the objects let through, as `from -> to port/protocol`, sorted: of each endpoint with each
 * other on each of its ports, but for those that have nothing to do with our pods.
 */
export function listFlows(objects: KubernetesObject[], outside: Endpoint[]): string[] {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec as INetworkPolicySpec);
  const pods = listPods(objects);
  const endpoints = [...pods, ...outside];
  return endpoints
    .flatMap((from) => {
      const egress = listRules(policies, from, 'Egress');
      return endpoints
        .filter((to) => to !== from && (pods.includes(from) || pods.includes(to)))
        .flatMap((to) => {
          const ingress = listRules(policies, to, 'Ingress');
          return to.ports
            .filter((port) => isLet(egress, to, port) && isLet(ingress, from, port))
            .map(({ number, protocol }) => `${from.name} -> ${to.name} ${number}/${protocol}`);
        });
    })
    .sort();
}
