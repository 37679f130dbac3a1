import { type LookupAddress, type LookupOptions, lookup as lookUpName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { Egress } from './egress.ts';

/** Addresses that no message goes to, in each family: IANA's registries of special-purpose addresses, and the platform address of Azure. */
const privateRanges = {
  ipv4: [
    // This machine and network
    ...['0.0.0.0/8', '127.0.0.0/8'],
    // Private networks; shared address space: some clouds' pods, and Alibaba's metadata
    ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
    // Link-local: every cloud's metadata
    ...['169.254.0.0/16', '168.63.129.16/32'],
    // Protocols, documentation, benchmarks, 6to4 relays
    ...['192.0.0.0/24', '192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '192.88.99.0/24'],
    // Multicast, reserved, broadcast
    ...['224.0.0.0/4', '240.0.0.0/4'],
  ],
  ipv6: [
    // All but global unicast (2000::/3): loopback, private, link-local and multicast ones, and those with an IPv4 address within, such as NAT64
    ...['::/3', '4000::/2', '8000::/1'],
    // Protocols and Teredo, documentation, 6to4
    ...['2001::/23', '2001:db8::/32', '3fff::/20', '2002::/16'],
  ],
} as const;

// A list of its own for each: one list would take an IPv4 address for an IPv6 one that has it within.
const lists = Object.fromEntries(
  Object.entries(privateRanges).map(([family, ranges]) => {
    const list = new BlockList();
    for (const range of ranges) {
      const [start = '', bits] = range.split('/');
      list.addSubnet(start, Number(bits), family as keyof typeof privateRanges);
    }
    return [family, list];
  }),
) as Record<keyof typeof privateRanges, BlockList>;

/** Whether an address is one that a stranger's receiver cannot have; true for what is no address. */
export function isPrivate(address: string): boolean {
  const [plain = ''] = address.split('%');
  const version = isIP(plain);
  if (version === 0) return true;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return lists[family].check(plain, family);
}

const refuse = (address: string, setting: string) =>
  new Error(`address is private: ${address}: ${setting} does not name its host`);

/** Looks a name up for a connection, which then goes to just the addresses that were checked. @throws Error if one of them is private */
export const guardLookup =
  (lookup: typeof lookUpName, setting: string): LookupFunction =>
  (name, options: LookupOptions, callback) =>
    lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const [first] = addresses ?? [];
      const hidden = addresses?.find(({ address }) => isPrivate(address));
      if (error || hidden || !first) callback(error ?? refuse(hidden?.address ?? name, setting), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });

export interface Guard {
  /** Hosts that may have any address, and no TLS; with their ports if they are others than the protocol's. */
  allowedHosts: readonly string[];
  /** The setting that names them, for errors. */
  setting: string;
  /** Longest wait for a connection, in milliseconds. */
  timeoutMs: number;
  /** How connections leave. */
  egress: Egress;
}

/**
 * Connects to public addresses by TLS, and to any address of the hosts that the operator names. An egress proxy looks names up itself, so
 * that its own rules say which of them lead inside; addresses are checked here before it is asked.
 */
export function guardConnections(
  { allowedHosts, setting, timeoutMs, egress }: Guard,
  lookup = lookUpName,
): buildConnector.connector {
  const settings = { timeout: timeoutMs, allowH2: false };
  const toAny = buildConnector({ ...settings, lookup });
  const toPublic = buildConnector({ ...settings, lookup: guardLookup(lookup, setting) });
  return (target, callback) => {
    const { hostname, protocol } = target;
    const byProxy = egress.find(target)?.connector(timeoutMs);
    if (allowedHosts.includes(target.host ?? hostname)) return (byProxy ?? toAny)(target, callback);
    // An address in place of a name is not looked up.
    if (isIP(hostname) !== 0 && isPrivate(hostname)) return callback(refuse(hostname, setting), null);
    if (protocol !== 'https:') return callback(new Error(`has no TLS: ${setting} does not name its host`), null);
    return (byProxy ?? toPublic)(target, callback);
  };
}
