const encoder = new TextEncoder();
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** False on pages that came neither by https nor from this machine: browsers then have no WebCrypto. */
export const canHash = (): boolean => globalThis.crypto?.subtle !== undefined;

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += hex[byte];
  return text;
}

/** SHA-256 by the browser's WebCrypto. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** `sha256:` and the hex SHA-256 of the UTF-8 bytes of the previous hash followed by the payload. */
export async function hashLink(previousHash: string, payload: string): Promise<string> {
  return `sha256:${toHex(await sha256(encoder.encode(previousHash + payload)))}`;
}
