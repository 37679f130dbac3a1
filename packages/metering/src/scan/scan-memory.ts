import { hash } from 'node:crypto';
import type { PiiType } from '@agp/pii';

export type MissedReason = 'unreadable' | 'out_of_time' | 'overloaded';

export interface ScannedText {
  types: readonly PiiType[];
  searched: boolean;
  missed: MissedReason | null;
}

/** Shorter texts, in UTF-16 units, would push long ones out. Single words of them, such as names of models, are remembered as they are. */
const leastLength = 64;
const maxWords = 4_096;
const nothing: readonly PiiType[] = [];

/** Agents send whole conversations each turn, so most texts were searched before. Keeps digests, and short words without a finding; no sentence. */
export class ScanMemory {
  readonly #max: number;
  #young = new Map<string, readonly PiiType[]>();
  #old = new Map<string, readonly PiiType[]>();
  readonly #words = new Set<string>();

  constructor(max = 10_000) {
    this.#max = max;
  }

  scan(text: string, scan: (text: string) => ScannedText): ScannedText {
    if (text.length < leastLength) return text.includes(' ') ? scan(text) : this.#scanWord(text, scan);
    // Halves of surrogate pairs are not told apart by a digest of UTF-8.
    if (!text.isWellFormed()) return scan(text);
    const digest = hash('sha256', text, 'base64');
    const known = this.#young.get(digest);
    if (known) return { types: known, searched: true, missed: null };
    const older = this.#old.get(digest);
    const scanned = older ? { types: older, searched: true, missed: null } : scan(text);
    if (scanned.searched && scanned.missed === null) this.#keep(digest, scanned.types);
    return scanned;
  }

  #scanWord(word: string, scan: (text: string) => ScannedText): ScannedText {
    if (this.#words.has(word)) return { types: nothing, searched: true, missed: null };
    const scanned = scan(word);
    if (scanned.searched && scanned.missed === null && scanned.types.length === 0) {
      if (this.#words.size >= maxWords) this.#words.clear();
      this.#words.add(word);
    }
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
