import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { GuardedReader } from './readers/guarded-reader.ts';
import type { ResponseReading, ResponseTap } from './readers/response-reading.ts';

/** How much of a body is decoded, in bytes. */
export interface DecodingBounds {
  /** The most that may wait for the decoder. */
  maxWaiting: number;
  /** Beyond that the provider is made to wait; otherwise the body is given up. */
  waits: boolean;
  /** Of plain text; decoding stops there. */
  maxDecoded: number;
}

/** No honest body decodes to this many times its size, once it is larger than a frame or an answer. */
const maxRatio = 256;
const freeOfRatio = 8 * 1024 * 1024;

/** Bodies that were cut are decoded as far as they go. */
const zlibOptions = { finishFlush: constants.Z_SYNC_FLUSH };
const brotliOptions = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
/** No more of a window than HTTP allows (8 MiB, RFC 9659). */
const zstdOptions = { finishFlush: constants.ZSTD_e_flush, params: { [constants.ZSTD_d_windowLogMax]: 23 } };

type Decoder = Transform & { close(): void };

const decoders: Record<string, (firstByte: number) => Decoder> = {
  gzip: () => createGunzip(zlibOptions),
  'x-gzip': () => createGunzip(zlibOptions),
  // By the standard deflate has a zlib header, but some servers send it without.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate(zlibOptions) : createInflateRaw(zlibOptions)),
  br: () => createBrotliDecompress(brotliOptions),
  zstd: () => createZstdDecompress(zstdOptions),
};

export function canDecode(encoding: string): boolean {
  return Object.hasOwn(decoders, encoding);
}

/** A smaller piece is copied: it would keep the whole chunk that was read from the socket alive. */
const smallPiece = 4_096;

/** Decodes a copy of a compressed body, in zlib's own threads, for a reader of the plain bytes. */
export class DecodingTap implements ResponseTap {
  readonly #encoding: string;
  readonly #reader: GuardedReader;
  readonly #bounds: DecodingBounds;
  #decoder: Decoder | null = null;
  #received = 0;
  #waiting = 0;
  #decoded = 0;
  #broken = false;
  #onReady: (() => void) | null = null;
  readonly #closed = Promise.withResolvers<void>();

  constructor(encoding: string, reader: GuardedReader, bounds: DecodingBounds) {
    this.#encoding = encoding;
    this.#reader = reader;
    this.#bounds = bounds;
  }

  push(chunk: Buffer): boolean {
    this.#received += chunk.length;
    if (this.#broken || chunk.length === 0) return true;
    const { maxWaiting, waits } = this.#bounds;
    this.#waiting += chunk.length;
    if (this.#waiting > maxWaiting && !waits) {
      this.#break();
      return true;
    }
    this.#decoder ??= this.#open(chunk[0] ?? 0);
    this.#decoder?.write(chunk.length < smallPiece ? Buffer.from(chunk) : chunk, () => {
      this.#waiting -= chunk.length;
      if (this.#waiting <= maxWaiting / 2) this.#tellReady();
    });
    return this.#waiting <= maxWaiting;
  }

  whenReady(go: () => void): void {
    this.#onReady = go;
    if (this.#broken || this.#waiting <= this.#bounds.maxWaiting) this.#tellReady();
  }

  async end(): Promise<ResponseReading> {
    if (this.#decoder && !this.#broken) {
      this.#decoder.end();
      await this.#closed.promise;
    }
    const reading = this.#reader.end();
    const length = Math.max(reading.length, this.#received);
    if (!this.#broken) return { ...reading, length };
    const output = () => {
      const written = reading.output();
      return Buffer.isBuffer(written) ? written : { ...written, whole: false };
    };
    return { ...reading, length, inspected: false, output };
  }

  release(): void {
    this.#reader.release();
  }

  #open(firstByte: number): Decoder | null {
    const decoder = decoders[this.#encoding]?.(firstByte) ?? null;
    decoder?.on('data', (chunk: Buffer) => {
      this.#decoded += chunk.length;
      const { maxDecoded } = this.#bounds;
      const isBomb = this.#decoded > freeOfRatio && this.#decoded > this.#received * maxRatio;
      if (this.#decoded > maxDecoded || isBomb) this.#break();
      if (!this.#broken) this.#reader.push(chunk);
    });
    decoder?.on('error', () => this.#break());
    decoder?.on('close', () => this.#closed.resolve());
    decoder?.on('end', () => this.#closed.resolve());
    return decoder;
  }

  #tellReady(): void {
    const go = this.#onReady;
    this.#onReady = null;
    go?.();
  }

  #break(): void {
    this.#broken = true;
    this.#closed.resolve();
    this.#decoder?.close();
    this.#tellReady();
  }
}
