import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';

type Decode = (bytes: Buffer, bounds: { maxOutputLength: number }) => Promise<Buffer>;

const zlib: Decode = promisify(inflate);
const raw: Decode = promisify(inflateRaw);

const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  // By the standard deflate has a zlib header, but some clients send it without.
  ['deflate', (bytes, bounds) => (((bytes[0] ?? 0) & 0x0f) === 8 ? zlib(bytes, bounds) : raw(bytes, bounds))],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/** A request body without its content encoding; null if that is none or not known, or the body is broken or decodes to more than `maxBytes`. */
export async function decodeBody(bytes: Buffer, encoding: string, maxBytes: number): Promise<Buffer | null> {
  try {
    return (await decoders.get(encoding.trim().toLowerCase())?.(bytes, { maxOutputLength: maxBytes })) ?? null;
  } catch {
    return null;
  }
}
