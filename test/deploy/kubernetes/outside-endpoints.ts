import type { Endpoint } from './network-flows.ts';
import type { KubernetesObject } from './render-kustomization.ts';

const tcp = (...numbers: number[]) => numbers.map((number) => ({ number, protocol: 'TCP' }));
const everywhere = tcp(22, 80, 443, 4222, 5432, 6379, 8080, 8222);

/** A pod of another namespace; its own labels matter for DNS alone. */
function pod(name: string, address: string, namespace: Record<string, string>, ports: Endpoint['ports'], app = name) {
  return { name, address, namespace, labels: { 'k8s-app': app }, ports };
}

function host(name: string, address: string): Endpoint {
  return { name, address, namespace: null, labels: {}, ports: everywhere };
}

/** Who may have business with our pods, and who must not. */
export const otherPods: Endpoint[] = [
  pod('ingress', '10.244.1.1', { 'agent-governance-proxy/ingress': 'true' }, []),
  pod('monitoring', '10.244.1.2', { 'agent-governance-proxy/monitoring': 'true' }, tcp(9_090)),
  pod('collector', '10.244.1.3', { 'agent-governance-proxy/tracing': 'true' }, tcp(4_317, 4_318)),
  pod(
    'dns',
    '10.244.1.4',
    { 'kubernetes.io/metadata.name': 'kube-system' },
    [...tcp(53, 443), { number: 53, protocol: 'UDP' }],
    'kube-dns',
  ),
  pod('kube-system', '10.244.1.5', { 'kubernetes.io/metadata.name': 'kube-system' }, tcp(53, 443)),
  pod('other-namespace', '10.244.1.6', { 'kubernetes.io/metadata.name': 'default' }, everywhere),
];

/** Public addresses of providers. */
export const providers: Endpoint[] = [host('provider', '104.18.6.192'), host('provider-v6', '2606:4700::6812:6c0')];

/** production's placeholders for the servers outside. */
export const servers: Endpoint[] = [
  host('postgres', '192.0.2.17'),
  host('nats', '192.0.2.33'),
  host('redis', '192.0.2.49'),
];

/** What nobody in the namespace may reach: metadata services, nodes, Services, what is private, and ways around the list. */
export const innerAddresses: Endpoint[] = [
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
  '10.0.0.5',
  '10.96.0.1',
  '172.20.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '127.0.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  'fe80::1',
  'fc00::1',
  'ff02::1',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
].map((address) => host(address, address));

/** What cert-manager makes in our namespace for as long as it proves by HTTP-01 that a host is ours: as a workload, though it is a pod alone. */
export const solver: KubernetesObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'solver' },
  spec: {
    template: {
      metadata: { labels: { 'acme.cert-manager.io/http01-solver': 'true' } },
      spec: { containers: [{ name: 'acmesolver', ports: [{ name: 'http', containerPort: 8_089 }] }] },
    },
  },
};
