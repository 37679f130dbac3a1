import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';

const decoders: ReadonlyMap<string, (bytes: Buffer) => Transform> = new Map<string, (bytes: Buffer) => Transform>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  // By the standard deflate has a zlib header, but some clients send it without.
  ['deflate', (bytes) => (((bytes[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw())],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress()],
]);

/**
 * A request body without its content encoding; null if that is none or not known, or the body is broken or decodes to more than `maxBytes`.
 * @param grow asks for so many bytes of memory more; what it throws is thrown
 */
export async function decodeBody(
  bytes: Buffer,
  encoding: string,
  maxBytes: number,
  grow: (bytes: number) => void,
): Promise<Buffer | null> {
  const decoder = decoders.get(encoding.trim().toLowerCase())?.(bytes).end(bytes);
  if (!decoder) return null;
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBytes) return null;
      grow(piece.length);
      pieces.push(piece);
    }
    return Buffer.concat(pieces, length);
  } catch (error) {
    if (error === decoder.errored) return null;
    throw error;
  }
}
