import { createDecoder, type Decoder } from '../content-coding.ts';
import { type AnswerPipe, type BodyPipe, nothing, type ResponseReading } from './reading.ts';

interface DecodingBounds {
  maxWaiting: number;
  waits: boolean;
  maxDecoded: number;
}

/** No honest body decodes to this many times its size, once it is larger than a frame or an answer. */
const maxRatio = 256;
const freeOfRatio = 8 * 1024 * 1024;

/** A smaller piece is copied: it would keep the whole chunk that was read from the socket alive. */
const smallPiece = 4_096;

/** Passes encoded bytes as they are, and reads what they decode to. */
export class DecodingPipe implements AnswerPipe {
  readonly isHeld: boolean;
  readonly changesLength = false;
  readonly #encoding: string;
  readonly #reader: AnswerPipe;
  readonly #bounds: DecodingBounds;
  /** Holds it back until a policy has read it; null if none does. */
  readonly #gate: BodyPipe | null;
  #decoder: Decoder | null = null;
  #received = 0;
  #waiting = 0;
  #decoded = 0;
  #broken = false;
  #onReady: (() => void) | null = null;
  readonly #closed = Promise.withResolvers<void>();

  constructor(encoding: string, reader: AnswerPipe, bounds: DecodingBounds, gate: BodyPipe | null) {
    this.#gate = gate;
    this.isHeld = gate !== null;
    this.#encoding = encoding;
    this.#reader = reader;
    this.#bounds = bounds;
  }

  get isReady(): boolean {
    return this.#broken || this.#waiting <= this.#bounds.maxWaiting;
  }

  push(chunk: Buffer): Buffer {
    this.#read(chunk);
    return this.#gate?.push(chunk) ?? chunk;
  }

  #read(chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#broken || chunk.length === 0) return;
    const { maxWaiting, waits } = this.#bounds;
    this.#waiting += chunk.length;
    if (this.#waiting > maxWaiting && !waits) {
      this.#break();
      return;
    }
    this.#decoder ??= this.#open(chunk[0] ?? 0);
    this.#decoder?.write(chunk.length < smallPiece ? Buffer.from(chunk) : chunk, () => {
      this.#waiting -= chunk.length;
      if (this.#waiting <= maxWaiting / 2) this.#tellReady();
    });
  }

  end(): Buffer {
    return this.#gate?.end() ?? nothing;
  }

  whenReady(go: () => void): void {
    this.#onReady = go;
    if (this.isReady) this.#tellReady();
  }

  async read(): Promise<ResponseReading> {
    if (this.#decoder && !this.#broken) {
      this.#decoder.end();
      await this.#closed.promise;
      this.#broken ||= this.#decoder.bytesWritten < this.#received;
    }
    const reading = await this.#reader.read();
    const length = Math.max(reading.length, this.#received);
    if (!this.#broken) return { ...reading, length };
    const output = () => {
      const written = reading.output();
      return Buffer.isBuffer(written) ? written : { ...written, whole: false };
    };
    return { ...reading, length, inspected: false, output };
  }

  close(): void {
    this.#gate?.close();
  }

  release(): void {
    this.#reader.release();
  }

  #open(firstByte: number): Decoder | null {
    const decoder = createDecoder(this.#encoding, 'cut', firstByte);
    decoder?.on('data', (chunk: Buffer) => {
      this.#decoded += chunk.length;
      const { maxDecoded } = this.#bounds;
      const isBomb = this.#decoded > freeOfRatio && this.#decoded > this.#received * maxRatio;
      if (this.#decoded > maxDecoded || isBomb) this.#break();
      try {
        if (!this.#broken) this.#reader.push(chunk);
      } catch {
        // Nobody above this handler would catch it, so the process would end.
        this.#break();
      }
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

/** No honest answer is this long, but a few bytes can be made to decode to it. */
export const answerBounds = { maxWaiting: 8 * 1024 * 1024, waits: false, maxDecoded: 64 * 1024 * 1024 };

/** Results of a batch may be this large, and come faster than they are read: the provider may be made to wait. */
export const fileBounds = { maxWaiting: 1024 * 1024, waits: true, maxDecoded: 1024 * 1024 * 1024 };
