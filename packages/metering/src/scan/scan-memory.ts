import type { PiiType } from '@agp/pii';
import { TextMemory } from '../text/text-memory.ts';

export type MissedReason = 'unreadable' | 'out_of_time' | 'overloaded';

export interface ScannedText {
  types: readonly PiiType[];
  searched: boolean;
  missed: MissedReason | null;
}

/** Single short words, such as names of models, are remembered as they are. */
const longestWord = 63;
const maxWords = 4_096;
const nothing: readonly PiiType[] = [];

/** Agents send whole conversations each turn, so most texts were searched before. Keeps digests, and short words without a finding; no sentence. */
export class ScanMemory {
  readonly #texts: TextMemory<readonly PiiType[]>;
  readonly #words = new Set<string>();

  constructor(max?: number) {
    this.#texts = new TextMemory(max);
  }

  scan(text: string, scan: (text: string) => ScannedText): ScannedText {
    if (text.length <= longestWord) return text.includes(' ') ? scan(text) : this.#scanWord(text, scan);
    const key = TextMemory.keyOf(text);
    if (key === null) return scan(text);
    const known = this.#texts.get(key);
    if (known) return { types: known, searched: true, missed: null };
    const scanned = scan(text);
    if (scanned.searched && scanned.missed === null)
      this.#texts.keep(key, scanned.types.length === 0 ? nothing : scanned.types);
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
}
