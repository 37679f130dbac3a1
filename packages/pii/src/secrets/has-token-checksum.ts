import { crc32 } from 'node:zlib';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The six base62 digits at the end of a token of GitHub or npm: the CRC-32 of the characters between its prefix and them. */
export function tokenChecksum(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/**
 * Whether a token of GitHub's format of 2021, which npm has too, ends in its checksum
 * (github.blog/2021-04-05-behind-githubs-new-authentication-token-formats).
 *
 * @param token a prefix of four characters, 30 of the secret, six of the checksum
 */
export function hasTokenChecksum(token: string): boolean {
  return token.slice(-6) === tokenChecksum(token.slice(4, -6));
}
