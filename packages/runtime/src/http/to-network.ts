/**
 * The part of an address that one client cannot vary: the first 64 bits of IPv6, since a single machine gets a whole /64; anything
 * else unchanged.
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
