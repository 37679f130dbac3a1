import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type Socket } from 'node:net';
import { hostname as hostName } from 'node:os';
import { Agent, buildConnector, fetch } from 'undici';
import { z } from 'zod';
import { EgressProxy, type Target } from './egress-proxy.ts';

export { EgressProxy, EgressProxyError } from './egress-proxy.ts';

/** Such as `http://user:password@proxy.example:3128`; without a scheme it is plain HTTP. It holds a password, so no error quotes it. */
export const egressProxyUrl = z
  .string()
  .transform((text) => (text.includes('://') ? text : `http://${text}`))
  .refine(
    isProxy,
    'must be the http or https URL of a proxy, without path; characters with a meaning in URLs must be percent-encoded in its user and password',
  );

function isProxy(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname + url.search + url.hash !== '/') return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}

/** The usual variables, each also in small letters. */
export const egressFields = {
  httpsProxy: egressProxyUrl
    .optional()
    .describe(
      'the [proxy by which calls leave](#egress-proxies), such as `http://proxy.example:3128`; it may hold a user and a password',
    ),
  httpProxy: egressProxyUrl.optional().describe('the same for addresses without TLS'),
  noProxy: z
    .string()
    .default('')
    .refine((text) => splitNames(text).every(isExemption), 'must hold networks as 10.0.0.0/8 or fd00::/8')
    .describe(
      'hosts, domains (`.corp.example`) and networks (`10.0.0.0/8`) that are called directly, separated by commas; `*`: all',
    ),
};

export type EgressSettings = { [Field in keyof typeof egressFields]?: z.infer<(typeof egressFields)[Field]> };

/** How calls leave. */
export interface Egress {
  /** Null if they go directly. */
  find(target: Target): EgressProxy | null;
}

/** Names of this machine, and those by which a pod reaches its cluster. */
const inCluster = ['localhost', '127.0.0.0/8', '::1', 'svc', 'cluster.local'];

const defaultPorts: Record<string, string> = { 'https:': '443', 'http:': '80' };

interface Exemption {
  port: string | null;
  holds(host: string): boolean;
}

const splitNames = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);

/** What has a slash is a network. */
function isExemption(text: string): boolean {
  return !text.includes('/') || parseNetwork(text) !== null;
}

function parseNetwork(text: string): BlockList | null {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || !/^\d+$/.test(bits ?? '0')) return null;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  try {
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
    return list;
  } catch {
    return null;
  }
}

/** `host`, `.domain`, `*.domain`, an address or a network, each with a port behind it or without: a domain is also all names in it. */
function parseExemption(text: string): Exemption {
  const network = parseNetwork(text.replace(/^\[(.*)\]$/, '$1'));
  const [, bare = text, port = null] = (network === null && /^\[?([^[\]]*?)\]?:(\d{1,5})$/.exec(text)) || [];
  const list = network ?? parseNetwork(bare);
  if (list !== null) {
    const holds = (host: string) => isIP(host) !== 0 && list.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
    return { port, holds };
  }
  const domain = bare.replace(/^\*?\./, '').replace(/\.$/, '');
  return { port, holds: (host) => bare === '*' || host === domain || host.endsWith(`.${domain}`) };
}

/**
 * What is in the cluster is called directly whatever NO_PROXY says: names without a dot, `.svc`, `.cluster.local`, and this machine.
 * @param settings as `egressFields` parse them
 */
export function createEgress({ httpsProxy, httpProxy, noProxy = '' }: EgressSettings): Egress {
  const proxies: Record<string, EgressProxy | null> = {
    'https:': httpsProxy === undefined ? null : new EgressProxy(httpsProxy, 'HTTPS_PROXY'),
    'http:': httpProxy === undefined ? null : new EgressProxy(httpProxy, 'HTTP_PROXY'),
  };
  if (proxies['https:'] === null && proxies['http:'] === null) return direct;
  const exemptions = [...inCluster, hostName().toLowerCase(), ...splitNames(noProxy)].map(parseExemption);
  return {
    find({ protocol, hostname, port }) {
      const host = hostname
        .toLowerCase()
        .replace(/^\[(.*)\]$/, '$1')
        .replace(/\.$/, '');
      const at = port || defaultPorts[protocol];
      const isDirect =
        (isIP(host) === 0 && !host.includes('.')) ||
        exemptions.some((each) => (each.port === null || each.port === at) && each.holds(host));
      return isDirect ? null : (proxies[protocol] ?? null);
    },
  };
}

export const direct: Egress = { find: () => null };

/** Connects as the egress says, without looking at addresses. */
export function connectBy(egress: Egress, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false });
  return (target, callback) => (egress.find(target)?.connector(timeoutMs) ?? connect)(target, callback);
}

/** An agent of `node:https` that leaves as the egress says; undefined if that is directly. @param timeoutMs longest to connect */
export function agentBy(egress: Egress, timeoutMs: number): HttpsAgent | undefined {
  if (egress === direct) return undefined;
  const agent = new HttpsAgent();
  const connect = connectBy(egress, timeoutMs);
  agent.createConnection = ({ host, port }, callback) => {
    const target = { protocol: 'https:', hostname: String(host), port: String(port ?? '') };
    connect(target, (...[error, socket]) => callback?.(error, socket as Socket));
    return undefined;
  };
  return agent;
}

/** A `fetch` that leaves as the egress says; undefined if that is directly. @param timeoutMs longest to connect */
export function fetchBy(egress: Egress, timeoutMs: number): typeof globalThis.fetch | undefined {
  if (egress === direct) return undefined;
  const dispatcher = new Agent({ allowH2: false, pipelining: 0, connect: connectBy(egress, timeoutMs) });
  return async (url, options) =>
    (await fetch(url as string, { ...options, dispatcher } as object)) as unknown as Response;
}
