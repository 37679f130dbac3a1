import { createHash } from 'node:crypto';

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const bech32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

/** The 25 bytes of an address, or null if it is none of that size. */
function decodeBase58(address: string): Uint8Array | null {
  const bytes = new Uint8Array(25);
  for (const character of address) {
    let carry = base58.indexOf(character);
    for (let index = 24; index >= 0; index--) {
      carry += (bytes[index] as number) * 58;
      bytes[index] = carry & 255;
      carry >>= 8;
    }
    if (carry > 0) return null;
  }
  // A leading 1 stands for a zero byte, and for nothing else.
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return zeros === (address.match(/^1{0,25}/)?.[0].length ?? 0) ? bytes : null;
}

/** Whether base58 characters are a Bitcoin address to a key or to a script: version 0 or 5, and the checksum of base58check. */
export function isBase58Address(address: string): boolean {
  const bytes = decodeBase58(address);
  if (!bytes || (bytes[0] !== 0 && bytes[0] !== 5)) return false;
  const digest = sha256(sha256(bytes.subarray(0, 21)));
  return bytes.subarray(21).every((byte, index) => byte === digest[index]);
}

const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function addToChecksum(checksum: number, value: number): number {
  const top = checksum >>> 25;
  let next = ((checksum & 0x1ffffff) << 5) ^ value;
  for (const [bit, generator] of generators.entries()) if ((top >> bit) & 1) next ^= generator;
  return next;
}

/**
 * Whether text is a segregated witness address of Bitcoin's main network: `bc1` and data, in one case, that end with bech32's checksum for
 * witness version 0 (BIP 173) and with bech32m's for later ones (BIP 350).
 */
export function isBech32Address(address: string): boolean {
  const lower = address.toLowerCase();
  if (address !== lower && address !== address.toUpperCase()) return false;
  let checksum = 1;
  for (const value of [3, 3, 0, 2, 3]) checksum = addToChecksum(checksum, value); // "bc", spread as BIP 173 says
  for (const character of lower.slice(3)) checksum = addToChecksum(checksum, bech32.indexOf(character));
  const version = bech32.indexOf(lower.charAt(3));
  const isLength = version === 0 ? lower.length === 42 || lower.length === 62 : lower.length <= 90;
  return isLength && version <= 16 && checksum === (version === 0 ? 1 : 0x2bc830a3);
}
