import { isIP } from 'node:net';

/**
 * The part of an address that one client cannot vary: 64 bits of IPv6, since a single machine gets a whole /64; anything else unchanged.
 */
export function toNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after] = address.split('%', 1)[0]?.toLowerCase().split('::') ?? [];
  const first = before === '' ? [] : before.split(':');
  const last = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}

/** A valid IP address or null, since a trusted hop may forward any text. IPv4 mapped into IPv6 is returned as IPv4. */
export function toPlainAddress(address: string | undefined): string | null {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/, '') ?? '';
  return isIP(plain) ? plain : null;
}
