import { ByteBuffer } from '@agp/runtime/bytes';
import { createDecoder } from '../content-coding.ts';

/**
 * A request body without its content encoding; null if that is none or not known, or the body is broken, has something behind its end or decodes to more than `maxBytes`.
 * @param grow asks for so many bytes of memory more; what it throws is thrown
 */
export async function decodeBody(
  bytes: Buffer,
  encoding: string,
  maxBytes: number,
  grow: (bytes: number) => void,
): Promise<Buffer | null> {
  const decoder = createDecoder(encoding.trim().toLowerCase(), 'whole', bytes[0] ?? 0);
  if (!decoder) return null;
  decoder.end(bytes);
  const decoded = new ByteBuffer(null);
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      if (decoded.length + piece.length > maxBytes) return null;
      grow(decoded.growth(piece.length));
      decoded.push(piece);
    }
    return decoder.bytesWritten === bytes.length ? decoded.read() : null;
  } catch (error) {
    if (error === decoder.errored) return null;
    throw error;
  }
}
