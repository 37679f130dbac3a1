import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, bech32, bech32m } from '@scure/base';
import type { Detector, Report } from '../detector.ts';
import { hasWordNear, isWordUnit, matchAt } from '../text/characters.ts';

function isBase58Address(address: string): boolean {
  const bytes = base58.decode(address);
  if (bytes.length !== 25 || (bytes[0] !== 0 && bytes[0] !== 5)) return false;
  const digest = sha256(sha256(bytes.subarray(0, 21)));
  return bytes.subarray(21).every((byte, index) => byte === digest[index]);
}

/** Bech32's checksum is for witness version 0 (BIP 173), bech32m's for later ones (BIP 350). */
function isBech32Address(address: string): boolean {
  const isFirstVersion = address.charAt(3).toLowerCase() === 'q';
  if (isFirstVersion && address.length !== 42 && address.length !== 62) return false;
  const decoded = (isFirstVersion ? bech32 : bech32m).decodeUnsafe(address as `bc1${string}`, 90);
  return decoded !== undefined && (decoded.words[0] as number) <= 16;
}

const walletWords = /wallet|address|\b(?:eth|ethereum|ether|account|payee|recipient|usdc|usdt|erc-?20)\b/i;

/** Mixed case carries a checksum (EIP-55): a letter is a capital if the hash of the address has a high digit there. */
function passesEip55(hex: string): boolean {
  const digest = keccak_256(Uint8Array.from(hex.toLowerCase(), (character) => character.charCodeAt(0)));
  for (let index = 0; index < 40; index++) {
    const character = hex.charAt(index);
    if (character >= '0' && character <= '9') continue;
    const byte = digest[index >> 1] as number;
    const high = (index % 2 === 0 ? byte >> 4 : byte & 15) > 7;
    if (high !== character < 'a') return false;
  }
  return true;
}

function findEthereum(text: string, report: Report): void {
  for (let start = text.indexOf('0x'); start >= 0; start = text.indexOf('0x', start + 2)) {
    const end = start + 42;
    if (isWordUnit(text.charCodeAt(start - 1)) || isWordUnit(text.charCodeAt(end))) continue;
    const hex = text.slice(start + 2, end);
    if (!/^[0-9A-Fa-f]{40}$/.test(hex)) continue;
    const mixed = /[a-f]/.test(hex) && /[A-F]/.test(hex);
    // Without a checksum it could as well be the hash of a commit.
    if (mixed ? passesEip55(hex) : hasWordNear(text, start, end, walletWords, 48, 24)) {
      report('crypto_wallet', start, end);
    }
  }
}

const base58Candidate = /(?<![A-Za-z0-9_])[13][1-9A-HJ-NP-Za-km-z]{25,34}(?![A-Za-z0-9_])/g;

function findBase58(text: string, report: Report): void {
  for (const { 0: address, index } of text.matchAll(base58Candidate)) {
    if (isBase58Address(address)) report('crypto_wallet', index, index + address.length);
  }
}

const bech32Data = /[02-9ac-hj-np-z]{11,87}/iy;

function findBech32(text: string, prefix: string, report: Report): void {
  for (let start = text.indexOf(prefix); start >= 0; start = text.indexOf(prefix, start + prefix.length)) {
    if (isWordUnit(text.charCodeAt(start - 1))) continue;
    if (!matchAt(bech32Data, text, start + prefix.length)) continue;
    const end = bech32Data.lastIndex;
    if (isWordUnit(text.charCodeAt(end))) continue;
    if (isBech32Address(text.slice(start, end))) report('crypto_wallet', start, end);
  }
}

/** Ethereum addresses in a single case have no checksum and need a word nearby. */
export const cryptoWalletDetector: Detector = {
  types: ['crypto_wallet'],
  needs: /0x|bc1|BC1|[13][1-9A-Za-z]{25}/,
  find({ value }, report) {
    findEthereum(value, report);
    findBase58(value, report);
    findBech32(value, 'bc1', report);
    findBech32(value, 'BC1', report);
  },
};
