import type { Detector, Report, Text } from '../detector.ts';
import { hasWordNear, isAsciiLetter, isDigit, isWordUnit } from '../text/characters.ts';
import type { DigitRun } from '../text/digit-run.ts';

const colon = 58;
const maxLength = 48;

const isHex = (unit: number): boolean => isDigit(unit) || ((unit | 32) >= 97 && (unit | 32) <= 102);

/**
 * Global unicast, unique local, link-local, and IPv4 in its IPv6 forms; this rules out `a::b` of a programming language.
 */
const assigned = /^(?:[23][0-9a-f]{3}:|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:|64:ff9b:|::ffff:\d{1,3}\.)/i;

const wholeForm = /^(?=.{31})(?:[0-9a-f]{2,4}:){7}[0-9a-f]{2,4}$/i;

const ipv4Tail = /(?:^|:)(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;

/** RFC 4291. */
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

function findIpv6(text: string, report: Report): void {
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

const versionWords =
  /(?:[=<>~^@]|[A-Za-z]\/|\b(?:v|ver|versions?|release|rev|revision|build|firmware|section|chapter|clause|oid|chrome|driver)[\s.:"'=]{0,4})$/i;
const addressWords = /\bip\b|ipv4|\bip_|address|host|server|dns|ping|remote|client|gateway|subnet/i;

function readOctets(run: DigitRun, first: number): number[] | null {
  const octets: number[] = [];
  for (let group = first; group < first + 4; group++) {
    const start = run.groupStart(group);
    const end = run.groupEnd(group);
    if (end - start > 3 || (end - start > 1 && run.text.charAt(start) === '0')) return null;
    if (group > first && run.text.charAt(start - 1) !== '.') return null;
    octets.push(Number(run.text.slice(start, end)));
  }
  return octets.every((octet) => octet < 256) ? octets : null;
}

/** Whether no single machine has this address: this host, loopback, netmasks, multicast and above, the clouds' metadata service. */
function isNobodys([a, b, c, d]: readonly number[]): boolean {
  return a === undefined || a === 0 || a === 127 || a >= 224 || (a === 169 && b === 254 && c === 169 && d === 254);
}

/** `10.0.0.0/8` names a network, not a machine. */
function isNetwork(octets: readonly number[], after: string): boolean {
  const bits = Number(/^\/(\d\d?)(?!\d)/.exec(after)?.[1] ?? 32);
  const address = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  return bits < 32 && address % 2 ** (32 - bits) === 0;
}

function isAddress({ value }: Text, start: number, end: number, octets: readonly number[]): boolean {
  const before = value.charCodeAt(start - 1);
  const after = value.charCodeAt(end);
  if (isWordUnit(before) || isWordUnit(after)) return false;
  // Part of something longer: `1.2.3.4.5`, `lib-1.2.3.4`, `1.2.3.4.tar`, `1.2.3.4-beta`.
  if (before === 46 && isWordUnit(value.charCodeAt(start - 2))) return false;
  if (before === 45 && isAsciiLetter(value.charCodeAt(start - 2))) return false;
  if ((after === 46 || after === 45) && /[a-z]/.test(value.charAt(end + 1))) return false;
  if (after === 46 && isWordUnit(value.charCodeAt(end + 1))) return false;
  if (isNobodys(octets) || isNetwork(octets, value.slice(end, end + 4))) return false;
  if (versionWords.test(value.slice(Math.max(0, start - 16), start))) return false;
  return octets.some((octet) => octet > 9) || hasWordNear(value, start, end, addressWords, 32, 0);
}

function findIpv4(text: Text, report: Report): void {
  for (const run of text.digitRuns()) {
    for (let first = 0; first + 4 <= run.groupCount; first++) {
      const start = run.groupStart(first);
      if (text.value.charAt(run.groupEnd(first)) !== '.') continue;
      const octets = readOctets(run, first);
      const end = run.groupEnd(first + 3);
      if (!octets || !isAddress(text, start, end, octets)) continue;
      report('ip_address', start, end);
      first += 3;
    }
  }
}

/**
 * Private ones included; not loopback, multicast, netmasks, whole networks and version numbers. Four single digits need a word like `ip`
 * before them.
 */
export const ipAddressDetector: Detector = {
  types: ['ip_address'],
  needs: /\d\.\d{1,3}\.\d|:[\dA-Fa-f]{0,4}:/,
  find(text, report) {
    findIpv4(text, report);
    findIpv6(text.value, report);
  },
};
