import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';

/** `bytesWritten` is how much of what it was given it used: what stands behind the end of its stream is dropped without an error. */
export type Decoder = Transform & { close(): void; readonly bytesWritten: number };

/** In a whole body a missing end is an error; one that may have been cut is decoded as far as it goes. */
type Extent = 'whole' | 'cut';

const zlib = { whole: {}, cut: { finishFlush: constants.Z_SYNC_FLUSH } };
const brotli = { whole: {}, cut: { finishFlush: constants.BROTLI_OPERATION_FLUSH } };
/** No more of a window than HTTP allows (8 MiB, RFC 9659): a decoder takes the memory that the first bytes ask for. */
const window = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };
const zstd = { whole: window, cut: { ...window, finishFlush: constants.ZSTD_e_flush } };

const decoders: Readonly<Record<string, (extent: Extent, firstByte: number) => Decoder>> = {
  gzip: (extent) => createGunzip(zlib[extent]),
  'x-gzip': (extent) => createGunzip(zlib[extent]),
  // By the standard deflate has a zlib header, but some programs send it without.
  deflate: (extent, firstByte) =>
    (firstByte & 0x0f) === 8 ? createInflate(zlib[extent]) : createInflateRaw(zlib[extent]),
  br: (extent) => createBrotliDecompress(brotli[extent]),
  zstd: (extent) => createZstdDecompress(zstd[extent]),
};

/** Whether bytes are what they seem: nothing of another encoding can be split, judged or changed. */
export function isPlain({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean {
  return ['', 'identity'].includes(encoding.trim().toLowerCase());
}

/** @param coding in lower case */
export function canDecode(coding: string): boolean {
  return Object.hasOwn(decoders, coding);
}

/** Whether all that comes in a coding is decoded: a decoder of zstd ends with the first of its frames. @param coding in lower case */
export const decodesAll = (coding: string): boolean => Object.hasOwn(atOnce, coding);

const atOnce: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: (bytes, options) =>
    ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options),
  br: brotliDecompressSync,
};

/** A whole body, decoded while others wait; null if it is broken, decodes to more than `most` bytes, or its coding is not sure to be read. */
export function decodeAtOnce(coding: string, bytes: Buffer, most: number): Buffer | null {
  try {
    return atOnce[coding]?.(bytes, { maxOutputLength: most }) ?? null;
  } catch {
    return null;
  }
}

/** @returns null for a coding that is not known */
export function createDecoder(coding: string, extent: Extent, firstByte: number): Decoder | null {
  return canDecode(coding) ? (decoders[coding]?.(extent, firstByte) ?? null) : null;
}
