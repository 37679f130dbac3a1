import { createHash, type Hash, hash } from 'node:crypto';

/** SHA-256 of bytes that come in pieces. Most bodies are one piece, and hashing that in one go costs a third. */
export class ContentDigest {
  #only: Buffer | null = null;
  #hash: Hash | null = null;

  update(bytes: Buffer): void {
    if (this.#hash) this.#hash.update(bytes);
    else if (this.#only) this.#hash = createHash('sha256').update(this.#only).update(bytes);
    else this.#only = bytes;
  }

  /** Hex, of what came until now. */
  digest(): string {
    return this.#hash ? this.#hash.copy().digest('hex') : hash('sha256', this.#only ?? '', 'hex');
  }
}
