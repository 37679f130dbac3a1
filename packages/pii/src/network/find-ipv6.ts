import type { Report } from '../detector.ts';
import { isDigit, isWordUnit } from '../text/characters.ts';

const colon = 58;
/** More than the longest address, `0000:0000:0000:0000:0000:ffff:255.255.255.255`. */
const maxLength = 48;

const isHex = (unit: number): boolean => isDigit(unit) || ((unit | 32) >= 97 && (unit | 32) <= 102);

/**
 * The ranges of machines' addresses: global unicast, unique local, link-local, and IPv4 in its IPv6 forms. This also rules out
 * `a::b` of a programming language.
 */
const assigned = /^(?:[23][0-9a-f]{3}:|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:|64:ff9b:|::ffff:\d{1,3}\.)/i;

/** Eight long groups are an address in any range. */
const wholeForm = /^(?=.{31})(?:[0-9a-f]{2,4}:){7}[0-9a-f]{2,4}$/i;

const ipv4Tail = /(?:^|:)(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;

/** Whether text of hex digits, colons and dots is one address (RFC 4291). */
function isIpv6(text: string): boolean {
  if (wholeForm.test(text)) return true;
  if (!assigned.test(text)) return false;
  let address = text;
  if (address.includes('.')) {
    if (!ipv4Tail.test(address)) return false;
    address = `${address.slice(0, address.lastIndexOf(':'))}:0:0`;
  }
  const halves = address.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  // `2001:db8::` names a network, not a machine.
  return halves.length === 2 ? groups.length < 8 && halves[1] !== '' : groups.length === 8;
}

/** Finds IPv6 addresses: from each colon, looks as far as hex digits, colons and dots reach on both sides. */
export function findIpv6(text: string, report: Report): void {
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (next !== colon && !isHex(next)) continue;
    let start = at;
    while (start > at - 4 && isHex(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < start + maxLength && (isHex(text.charCodeAt(end)) || isColonOrDot(text.charCodeAt(end)))) end++;
    const stop = end;
    while (isColonOrDot(text.charCodeAt(end - 1)) && text.slice(end - 2, end) !== '::') end--;
    const free = !isWordUnit(text.charCodeAt(start - 1)) && !isWordUnit(text.charCodeAt(end));
    if (free && end - start > 6 && isIpv6(text.slice(start, end))) report('ip_address', start, end);
    at = Math.max(at, stop - 1);
  }
}

const isColonOrDot = (unit: number): boolean => unit === colon || unit === 46;
