import type { Detector, Report, Text } from '../detector.ts';
import { isAsciiLetter, isWordUnit } from '../text/characters.ts';
import type { DigitRun } from '../text/digit-run.ts';
import { hasWordNear } from '../text/has-word-near.ts';
import { findIpv6 } from './find-ipv6.ts';

/** Text right before a version or a section number rather than an address. */
const versionWords =
  /(?:[=<>~^@]|[A-Za-z]\/|\b(?:v|ver|versions?|release|rev|revision|build|firmware|section|chapter|clause|oid|chrome|driver)[\s.:"'=]{0,4})$/i;
const addressWords = /\bip\b|ipv4|\bip_|address|host|server|dns|ping|remote|client|gateway|subnet/i;

/** Four numbers up to 255 without leading zeros, from the group `first` on. */
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
 * Finds IPv4 and IPv6 addresses of machines, private ones included. Not loopback, unspecified, multicast, netmasks and whole networks,
 * and not version numbers; four single digits need a word like `ip` or `host` before them.
 */
export const ipAddressDetector: Detector = {
  types: ['ip_address'],
  find(text, report) {
    findIpv4(text, report);
    findIpv6(text.value, report);
  },
};
