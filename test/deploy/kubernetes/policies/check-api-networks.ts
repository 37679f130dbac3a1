import { BlockList, isIP } from 'node:net';
import type { INetworkPolicyPeer, INetworkPolicyPort } from 'kubernetes-models/networking.k8s.io/v1';
import { type KubernetesObject, listContainers, listWorkloads } from '../render-kustomization.ts';
import { isSubdomain } from './check-api-names.ts';

const isNumber = (port: unknown): port is number =>
  Number.isInteger(port) && Number(port) >= 1 && Number(port) <= 65_535;
/** The name of a port: 15 letters, digits and dashes at most, with a letter, no dash at an end or beside another. */
const isPortName = (name: unknown) =>
  typeof name === 'string' && /^(?=.*[a-z])[a-z0-9](-?[a-z0-9])*$/.test(name) && name.length <= 15;
const protocols = ['TCP', 'UDP', 'SCTP', undefined];

interface Network {
  family: 'ipv4' | 'ipv6';
  address: string;
  prefix: number;
}

/** Null for what is no subnet, or holds an IPv4-mapped address: Go reads that as IPv4, which lies in no subnet of IPv6. */
function parseNetwork(cidr: string): Network | null {
  const [address = '', digits = '', ...rest] = cidr.split('/');
  const version = isIP(address);
  const prefix = /^\d{1,3}$/.test(digits) ? Number(digits) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(prefix <= (version === 4 ? 32 : 128))) return null;
  const mapped = new BlockList();
  mapped.addSubnet('::ffff:0:0', 96, 'ipv6');
  if (version === 6 && mapped.check(address, 'ipv6')) return null;
  return { family: version === 4 ? 'ipv4' : 'ipv6', address, prefix };
}

function* checkBlock(
  owner: string,
  { cidr, except = [] }: NonNullable<INetworkPolicyPeer['ipBlock']>,
): Generator<string> {
  const whole = parseNetwork(cidr);
  if (whole === null) yield `${owner}: ${cidr} is no subnet`;
  for (const text of except) {
    const part = parseNetwork(text);
    if (part === null) yield `${owner}: ${text} is no subnet, to an API server`;
    if (whole === null || part === null) continue;
    const list = new BlockList();
    list.addSubnet(whole.address, whole.prefix, whole.family);
    const isWithin = part.family === whole.family && list.check(part.address, part.family);
    if (!isWithin || part.prefix <= whole.prefix) yield `${owner}: ${text} is not a strict subset of ${cidr}`;
  }
}

function* checkPeer(owner: string, peer: INetworkPolicyPeer): Generator<string> {
  const { ipBlock, podSelector, namespaceSelector } = peer;
  if (!ipBlock && !podSelector && !namespaceSelector) yield `${owner}: a peer that is nobody`;
  if (ipBlock && (podSelector || namespaceSelector)) yield `${owner}: a peer that is a subnet and selected`;
  if (ipBlock) yield* checkBlock(owner, ipBlock);
}

function* checkPolicyPort(owner: string, { port, endPort, protocol }: INetworkPolicyPort): Generator<string> {
  if (!protocols.includes(protocol)) yield `${owner}: no protocol ${protocol}`;
  if (port !== undefined && !isNumber(port) && !isPortName(port)) yield `${owner}: no port ${port}`;
  if (endPort !== undefined && !(isNumber(endPort) && isNumber(port) && endPort >= port))
    yield `${owner}: its ports end at ${endPort}`;
}

function* checkPolicy(owner: string, spec: KubernetesObject['spec']): Generator<string> {
  for (const type of spec.policyTypes ?? [])
    if (type !== 'Ingress' && type !== 'Egress') yield `${owner}: no type ${type}`;
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const peer of [...(rule.from ?? []), ...(rule.to ?? [])]) yield* checkPeer(owner, peer);
    for (const port of rule.ports ?? []) yield* checkPolicyPort(owner, port);
  }
}

function* checkService(owner: string, { ports, clusterIP }: KubernetesObject['spec']): Generator<string> {
  const names = ports.map(({ name }: { name?: string }) => name);
  if (ports.length > 1 && new Set(names.filter(Boolean)).size < ports.length) yield `${owner}: its ports need names`;
  for (const { name, port, targetPort = port, protocol } of ports) {
    if (name !== undefined && !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
      yield `${owner}: no port name ${name}`;
    if (!isNumber(port)) yield `${owner}: no port ${port}`;
    if (!isNumber(targetPort) && !isPortName(targetPort)) yield `${owner}: no port ${targetPort}`;
    if (!protocols.includes(protocol)) yield `${owner}: no protocol ${protocol}`;
  }
  if (clusterIP !== undefined && clusterIP !== 'None' && isIP(clusterIP) === 0)
    yield `${owner}: no address ${clusterIP}`;
}

function* checkIngress(owner: string, spec: KubernetesObject['spec']): Generator<string> {
  const isHost = (host: string) => isSubdomain(host.replace(/^\*\./, '')) && isIP(host) === 0;
  if (spec.ingressClassName !== undefined && !isSubdomain(spec.ingressClassName))
    yield `${owner}: no class ${spec.ingressClassName}`;
  for (const { hosts = [] } of spec.tls ?? [])
    for (const host of hosts) if (!isHost(host)) yield `${owner}: no host ${host}`;
  for (const { host = '', http } of spec.rules ?? []) {
    if (host !== '' && !isHost(host)) yield `${owner}: no host ${host}`;
    for (const { path, pathType, backend } of http.paths) {
      if (!['Exact', 'Prefix', 'ImplementationSpecific'].includes(pathType)) yield `${owner}: no pathType ${pathType}`;
      if (pathType !== 'ImplementationSpecific' && !path?.startsWith('/')) yield `${owner}: no path ${path}`;
      const { name, number } = backend.service.port;
      if ((name === undefined) === (number === undefined)) yield `${owner}: a port needs a name or a number`;
    }
  }
}

/** `15s`, `1h30m`; of Gateway API. In milliseconds; null for what is none. */
function parseDuration(text: string): number | null {
  if (!/^(\d{1,5}(h|m|s|ms)){1,4}$/.test(text)) return null;
  const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  return [...text.matchAll(/(\d+)(ms|h|m|s)/g)].reduce(
    (sum, [, count, unit = 's']) => sum + Number(count) * (units[unit] ?? 0),
    0,
  );
}

function* checkRoute(owner: string, { hostnames, rules }: KubernetesObject['spec']): Generator<string> {
  for (const host of hostnames) if (!isSubdomain(host.replace(/^\*\./, ''))) yield `${owner}: no host ${host}`;
  for (const { timeouts = {} } of rules) {
    const [request, backend] = [timeouts.request ?? '0s', timeouts.backendRequest ?? '0s'].map(parseDuration);
    if (request == null || backend == null) yield `${owner}: no duration`;
    else if (request !== 0 && backend > request) yield `${owner}: backendRequest is longer than request`;
  }
}

/** Subnets, ports, hosts and paths, as an API server takes them. */
export function* checkApiNetworks(objects: KubernetesObject[]): Generator<string> {
  const checks = { NetworkPolicy: checkPolicy, Service: checkService, Ingress: checkIngress, HTTPRoute: checkRoute };
  for (const { kind, metadata, spec } of objects) {
    const check = (checks as Record<string, typeof checkPolicy | undefined>)[kind];
    if (check !== undefined && spec !== undefined) yield* check(`${kind} ${metadata.name}`, spec);
  }
  for (const workload of listWorkloads(objects)) {
    const names: (string | undefined)[] = [];
    for (const { ports = [] } of listContainers(workload))
      for (const { name, containerPort, protocol } of ports) {
        if (name !== undefined && !isPortName(name)) yield `${workload.name}: no port name ${name}`;
        if (name !== undefined && names.includes(name)) yield `${workload.name}: two ports ${name}`;
        if (!isNumber(containerPort)) yield `${workload.name}: no port ${containerPort}`;
        if (!protocols.includes(protocol)) yield `${workload.name}: no protocol ${protocol}`;
        names.push(name);
      }
  }
}
