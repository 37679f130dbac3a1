import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { BodyReader, ResponseReading, ResponseTap } from './response-reading.ts';

/** How much of a body is decoded, in bytes. */
export interface DecodingBounds {
  /** That may wait for the decoder; beyond this it is not keeping up. */
  maxWaiting: number;
  /** Of plain text; decoding stops there. */
  maxDecoded: number;
}

/** Bodies that were cut are decoded as far as they go. */
const zlibOptions = { finishFlush: constants.Z_SYNC_FLUSH };
const brotliOptions = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const zstdOptions = { finishFlush: constants.ZSTD_e_flush };

type Decoder = Transform & { close(): void };

const decoders: Record<string, (firstByte: number) => Decoder> = {
  gzip: () => createGunzip(zlibOptions),
  'x-gzip': () => createGunzip(zlibOptions),
  // By the standard deflate has a zlib header, but some servers send it without.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate(zlibOptions) : createInflateRaw(zlibOptions)),
  br: () => createBrotliDecompress(brotliOptions),
  zstd: () => createZstdDecompress(zstdOptions),
};

/** Whether a `Content-Encoding` can be decoded. */
export function canDecode(encoding: string): boolean {
  return Object.hasOwn(decoders, encoding);
}

/** Decodes a copy of a compressed body, in zlib's own threads, for a reader of the plain bytes. */
export class DecodingTap implements ResponseTap {
  readonly #encoding: string;
  readonly #reader: BodyReader;
  readonly #bounds: DecodingBounds;
  #decoder: Decoder | null = null;
  #waiting = 0;
  #decoded = 0;
  #broken = false;
  readonly #closed = Promise.withResolvers<void>();

  constructor(encoding: string, reader: BodyReader, bounds: DecodingBounds) {
    this.#encoding = encoding;
    this.#reader = reader;
    this.#bounds = bounds;
  }

  push(chunk: Buffer): void {
    if (this.#broken || chunk.length === 0) return;
    this.#waiting += chunk.length;
    if (this.#waiting > this.#bounds.maxWaiting) {
      this.#break();
      return;
    }
    this.#decoder ??= this.#open(chunk[0] ?? 0);
    this.#decoder?.write(chunk, () => {
      this.#waiting -= chunk.length;
    });
  }

  async end(): Promise<ResponseReading> {
    if (this.#decoder && !this.#broken) {
      this.#decoder.end();
      await this.#closed.promise;
    }
    const reading = this.#reader.end();
    if (!this.#broken) return reading;
    const output = () => {
      const written = reading.output();
      return Buffer.isBuffer(written) ? written : { ...written, whole: false };
    };
    return { ...reading, inspected: false, output };
  }

  #open(firstByte: number): Decoder | null {
    const decoder = decoders[this.#encoding]?.(firstByte) ?? null;
    decoder?.on('data', (chunk: Buffer) => {
      this.#decoded += chunk.length;
      if (this.#decoded > this.#bounds.maxDecoded) this.#break();
      if (!this.#broken) this.#reader.push(chunk);
    });
    decoder?.on('error', () => this.#break());
    decoder?.on('close', () => this.#closed.resolve());
    decoder?.on('end', () => this.#closed.resolve());
    return decoder;
  }

  #break(): void {
    this.#broken = true;
    this.#closed.resolve();
    this.#decoder?.close();
  }
}
