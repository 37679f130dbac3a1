import { isIP } from 'node:net';

/** An address, and only that: what a trusted hop forwards may be any text. IPv4 that came in over IPv6 is shown as IPv4. */
export function toPlainAddress(address: string | undefined): string | null {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/, '') ?? '';
  return isIP(plain) ? plain : null;
}
