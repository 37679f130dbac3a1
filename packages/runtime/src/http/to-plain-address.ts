import { isIP } from 'node:net';

/** Returns a valid IP address or null, since a trusted hop may forward any text. IPv4 mapped into IPv6 is returned as IPv4. */
export function toPlainAddress(address: string | undefined): string | null {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/, '') ?? '';
  return isIP(plain) ? plain : null;
}
