import { sha256, toHex } from './hash-text.ts';

const encoder = new TextEncoder();

function join(prefix: number, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(1 + parts.reduce((sum, { length }) => sum + length, 0));
  bytes[0] = prefix;
  let at = 1;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * The root of a Merkle tree as in RFC 6962 (section 2.1) over leaves in their order: `sha256:` and hex. As in `@agp/core`, but by the
 * browser's WebCrypto.
 */
export async function merkleRoot(leaves: readonly string[]): Promise<string> {
  const full: { height: number; hash: Uint8Array<ArrayBuffer> }[] = [];
  for (const leaf of leaves) {
    let height = 0;
    let hash = await sha256(join(0, encoder.encode(leaf)));
    for (let left = full.at(-1); left?.height === height; left = full.at(-1)) {
      full.pop();
      hash = await sha256(join(1, left.hash, hash));
      height += 1;
    }
    full.push({ height, hash });
  }
  let root = full.pop()?.hash;
  for (let left = full.pop(); left !== undefined && root !== undefined; left = full.pop())
    root = await sha256(join(1, left.hash, root));
  return `sha256:${toHex(root ?? (await sha256(new Uint8Array())))}`;
}
