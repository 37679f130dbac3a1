import type { PiiFinding } from '@agp/core/events';
import { type PiiFinder, type PiiType, unmask } from '@agp/pii';
import { readText, type TextSource } from '../text/index.ts';
import { FoundPlaces } from './found-places.ts';
import { type MissedReason, ScanMemory, type ScannedText } from './scan-memory.ts';
import { unfoldText } from './unfold-text.ts';

/** The findings in the texts of one request and its answer. */
export interface PiiScan {
  /** In the order of their names. */
  types: readonly PiiType[];
  /** Where they are; a bounded number of places, in their order in the call. */
  findings: readonly PiiFinding[];
  /** How much of the text was scanned: all that there is, some of it, or nothing. */
  extent: 'full' | 'partial' | 'none';
  /** Why it was not all of it; null where it was. */
  missed: MissedReason | null;
}

/** Texts are scanned in pieces of this length, with a look at the time between them. */
const pieceLength = 64 * 1024;

/** Pieces overlap by more than the longest PII. */
const overlap = 4 * 1024;

function* cut(text: string): Generator<string> {
  yield* cutOne(text);
  // Invisible characters may be longer than a piece, with half of a number on either side.
  if (text.length > pieceLength) yield* cutOne(unmask(text)?.value ?? '');
}

function* cutAll(texts: readonly string[]): Generator<string> {
  for (const text of texts) yield* cut(text);
}

function* cutOne(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += pieceLength) {
    yield text.slice(Math.max(0, start - overlap), start + pieceLength);
  }
}

/**
 * Reads and scans texts until they are through or time is up.
 *
 * @param hasTime asked before each piece of a text
 * @param memory of texts that this process has scanned
 */
export function scanTexts(
  sources: readonly TextSource[],
  find: PiiFinder,
  hasTime: () => boolean,
  memory = new ScanMemory(),
): PiiScan {
  const writings = sources.map((source) => ({ ...readText(source, 'all'), side: sideOf(source) }));
  const scanOne = (text: string) => scanText(text, find, hasTime);
  const places = new FoundPlaces();
  let missed: MissedReason | null = writings.every((writing) => writing.whole) ? null : 'unreadable';
  let searched = false;
  for (const { parts, beside = [], side, locate } of writings) {
    for (const text of [...parts, ...beside]) {
      if (missed === 'out_of_time') break;
      const scanned = memory.scan(text, scanOne);
      searched ||= scanned.searched;
      missed = scanned.missed ?? missed;
      for (const type of scanned.types) places.add(side, locate?.(text) ?? [], type);
    }
  }
  const extent = missed === null ? 'full' : searched ? 'partial' : 'none';
  return { types: places.types(), findings: places.list(), extent, missed };
}

function scanText(text: string, find: PiiFinder, hasTime: () => boolean): ScannedText {
  const { parts, whole } = unfoldText(text);
  const types = new Set<PiiType>();
  let missed: MissedReason | null = whole ? null : 'unreadable';
  let searched = false;
  for (const piece of cutAll(parts)) {
    if (!hasTime()) {
      missed = 'out_of_time';
      break;
    }
    searched = true;
    for (const { type } of find(piece)) types.add(type);
  }
  return { types: [...types], searched, missed };
}

const sideOf = (source: TextSource): PiiFinding['in'] => (source.of === 'request' ? 'request' : 'response');
