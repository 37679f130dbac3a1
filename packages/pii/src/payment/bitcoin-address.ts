import { sha256 } from '@noble/hashes/sha2.js';
import { base58, bech32, bech32m } from '@scure/base';

/** Whether base58 characters are a Bitcoin address to a key or to a script: version 0 or 5, and the checksum of base58check. */
export function isBase58Address(address: string): boolean {
  const bytes = base58.decode(address);
  if (bytes.length !== 25 || (bytes[0] !== 0 && bytes[0] !== 5)) return false;
  const digest = sha256(sha256(bytes.subarray(0, 21)));
  return bytes.subarray(21).every((byte, index) => byte === digest[index]);
}

/**
 * Whether text is a segregated witness address of Bitcoin's main network: `bc1` and data, in one case, that end with bech32's checksum for
 * witness version 0 (BIP 173) and with bech32m's for later ones (BIP 350).
 */
export function isBech32Address(address: string): boolean {
  const isFirstVersion = address.charAt(3).toLowerCase() === 'q';
  if (isFirstVersion && address.length !== 42 && address.length !== 62) return false;
  const decoded = (isFirstVersion ? bech32 : bech32m).decodeUnsafe(address as `bc1${string}`, 90);
  return decoded !== undefined && (decoded.words[0] as number) <= 16;
}
