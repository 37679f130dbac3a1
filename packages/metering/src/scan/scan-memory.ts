import { hash } from 'node:crypto';
import type { PiiType } from '@agp/pii';

export type MissedReason = 'unreadable' | 'out_of_time' | 'overloaded';

export interface ScannedText {
  types: readonly PiiType[];
  searched: boolean;
  missed: MissedReason | null;
}

/** Shorter texts take some microseconds to search, and would push long ones out; in UTF-16 units. */
const leastLength = 64;
const nothing: readonly PiiType[] = [];

/** Agents send whole conversations each turn, so most texts were searched before. Keeps digests, no text. */
export class ScanMemory {
  readonly #max: number;
  #young = new Map<string, readonly PiiType[]>();
  #old = new Map<string, readonly PiiType[]>();

  constructor(max = 10_000) {
    this.#max = max;
  }

  scan(text: string, scan: (text: string) => ScannedText): ScannedText {
    // Halves of surrogate pairs are not told apart by a digest of UTF-8.
    if (text.length < leastLength || !text.isWellFormed()) return scan(text);
    const digest = hash('sha256', text, 'base64');
    const known = this.#young.get(digest);
    if (known) return { types: known, searched: true, missed: null };
    const older = this.#old.get(digest);
    const scanned = older ? { types: older, searched: true, missed: null } : scan(text);
    if (scanned.searched && scanned.missed === null) this.#keep(digest, scanned.types);
    return scanned;
  }

  #keep(digest: string, types: readonly PiiType[]): void {
    if (this.#young.size >= this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(digest, types.length === 0 ? nothing : types);
  }
}
