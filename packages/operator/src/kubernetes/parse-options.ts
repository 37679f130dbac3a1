import { isIP } from 'node:net';
import type { Place, ServerPlace } from './deployment.ts';

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const name = new RegExp(`^${label}$`);
const hostName = new RegExp(`^${label}(\\.${label})*$`);
const registryName = new RegExp(`^${label}(\\.${label})*(:\\d{1,5})?(/[a-z0-9]+([._-]{1,2}[a-z0-9]+)*)*$`);
/** A Service in the cluster; the label before `.svc` is its namespace. */
const inCluster = new RegExp(`^(?:${label}\\.)+(?<namespace>${label})\\.svc(\\.cluster\\.local)?$`);

/** Reads one option's text. @throws Error with what is wrong, without the option's name */
export type Parse<Value> = (text: string) => Value;

export const parseName: Parse<string> = (text) => {
  if (!name.test(text)) throw new Error('is no name in Kubernetes: lower-case letters, digits and dashes');
  return text;
};

export const parseHost: Parse<string> = (text) => {
  if (isIP(text) !== 0 || text.length > 253 || !hostName.test(text) || !text.includes('.'))
    throw new Error('is no host name, such as agents.example.com');
  return text;
};

export const parseRegistry: Parse<string> = (text) => {
  const [first = ''] = text.split('/');
  if (!registryName.test(text) || !/[.:]|^localhost$/.test(first))
    throw new Error('is no registry with a path, such as registry.example.com/agp');
  return text;
};

export const parseProviderId: Parse<string> = (text) => {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(text)) throw new Error("is no provider's id, such as openai");
  return text;
};

/** A Gateway as `namespace/name`. */
export const parseGateway: Parse<{ gateway: string; gatewayNamespace: string }> = (text) => {
  const [gatewayNamespace = '', gateway = '', ...rest] = text.split('/');
  if (!name.test(gatewayNamespace) || !name.test(gateway) || rest.length > 0)
    throw new Error('is not namespace/name of a Gateway');
  return { gateway, gatewayNamespace };
};

const isPort = (port: number) => port >= 1 && port <= 65_535;

export const parsePort: Parse<number> = (text) => {
  if (!/^\d{1,5}$/.test(text) || !isPort(Number(text))) throw new Error('is no port, such as 6379');
  return Number(text);
};

/** A server as `host:port`. */
export const parsePlace: Parse<Place> = (text) => {
  const [, host = '', digits = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (!isPort(port) || (isIP(host) !== 4 && !hostName.test(host)))
    throw new Error('is not host:port, such as db.example.com:5432');
  const namespace = inCluster.exec(host)?.groups?.namespace;
  if (namespace === undefined && !host.includes('.'))
    throw new Error('is the name of a Service without its namespace: write service.namespace.svc:port');
  return { host, port, namespace: namespace ?? null };
};

/** What {@link ServerPlace} has of the texts of its servers. */
type Servers = Pick<ServerPlace, 'text' | 'ports' | 'namespaces'>;

/** One server, or several of a cluster as `host:port,host:port`. */
export const parseServers: Parse<Servers> = (text) => {
  const places = text.split(',').map((each) => parsePlace(each.trim()));
  const namespaces = places.flatMap(({ namespace }) => namespace ?? []);
  if (namespaces.length > 0 && namespaces.length < places.length)
    throw new Error('is in the cluster in part: name servers that are all in it, or all outside');
  return {
    text: places.map(({ host, port }) => `${host}:${port}`).join(),
    ports: [...new Set(places.map(({ port }) => port))],
    namespaces: [...new Set(namespaces)],
  };
};

/** Redis as `host:port`, or its sentinels and their name for the master as `sentinel://host:port,host:port/name`. */
export const parseRedis: Parse<Servers> = (text) => {
  const [, list, name] = /^sentinel:\/\/([^/]+)\/([\w.-]+)$/.exec(text) ?? [];
  if (list !== undefined) {
    const sentinels = parseServers(list);
    return { ...sentinels, text: `sentinel://${sentinels.text}/${name}` };
  }
  if (text.includes(',')) throw new Error('names several servers: write sentinel://host:26379,host:26379/mymaster');
  return parseServers(text);
};

/** An OpenID provider's issuer, and the port that it is reached at. */
export const parseIssuer: Parse<{ issuer: string; port: number }> = (text) => {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || /[\s"'{}#?@]/.test(text) || !url.hostname.includes('.'))
    throw new Error('is no URL of an issuer, such as https://id.example.com/realms/staff');
  if (url.hostname.endsWith('.svc') || url.hostname.endsWith('.cluster.local'))
    throw new Error('is a Service in the cluster, which browsers do not reach');
  return { issuer: text, port: Number(url.port) || 443 };
};

/** A text without anything that YAML or a shell would take for more. */
export const parseClientId: Parse<string> = (text) => {
  if (!/^[\w][\w.:/-]{0,255}$/.test(text)) throw new Error('is no id of a client: letters, digits and . _ : / -');
  return text;
};

const toBits = (address: string): bigint => {
  if (isIP(address) === 4) return address.split('.').reduce((bits, part) => bits * 256n + BigInt(part), 0n);
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail ?? '')].reduce(
    (bits, group) => bits * 65_536n + BigInt(`0x${group}`),
    0n,
  );
};

/** A subnet in CIDR notation, as an API server takes it. */
export const parseNetwork: Parse<string> = (text) => {
  const [, address = '', digits = ''] = /^([\d.]+|[\da-f:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  const width = version === 4 ? 32 : 128;
  const prefix = Number(digits);
  if (version === 0 || prefix > width) throw new Error('is no subnet, such as 10.20.0.0/24');
  // Go reads it as IPv4, and an API server then finds it in no subnet of IPv6.
  if (version === 6 && toBits(address) >> 32n === 0xffffn)
    throw new Error('is an IPv4-mapped address: write it as IPv4');
  if (prefix < 8) throw new Error('is more than a subnet');
  if (toBits(address) % (1n << BigInt(width - prefix)) !== 0n)
    throw new Error(`is an address within a subnet: its last ${width - prefix} bits must be 0`);
  return text;
};
