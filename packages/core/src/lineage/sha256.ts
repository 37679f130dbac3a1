import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** The hex SHA-256 of parts one after the other, texts as UTF-8: for browsers, also on pages that did not come by https. */
export function hexSha256(...parts: (string | Uint8Array)[]): string {
  const hash = sha256.create();
  for (const part of parts) hash.update(typeof part === 'string' ? utf8ToBytes(part) : part);
  return bytesToHex(hash.digest());
}
