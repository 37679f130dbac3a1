import { detectPiiTypes, type PiiFinder, type PiiType, unmask } from '@agp/pii';
import { readText, type TextSource } from '../text/index.ts';
import { unfoldText } from './unfold-text.ts';

/** The findings in the texts of one request and its answer. */
export interface PiiScan {
  /** In the order of their names. */
  types: readonly PiiType[];
  /** How much of the text was scanned: all that there is, some of it, or nothing. */
  extent: 'full' | 'partial' | 'none';
  /** Why it was not all of it; null where it was. */
  missed: MissedReason | null;
}

/** Why a text was not scanned, or not all of it. */
export type MissedReason =
  /** Broken off, in an encoding or of a kind that is not read, or beyond a bound. */
  | 'unreadable'
  /** The time for one request was up. */
  | 'out_of_time'
  /** More texts waited than are kept, or the worker broke. */
  | 'overloaded';

/** Texts are scanned in pieces of this length, with a look at the time between them. */
const pieceLength = 64 * 1024;

/** Pieces overlap by more than the longest PII. */
const overlap = 4 * 1024;

function* cut(texts: Iterable<string>): Generator<string> {
  for (const text of texts) {
    yield* cutOne(text);
    // Invisible characters may be longer than a piece, with half of a number on either side.
    if (text.length > pieceLength) yield* cutOne(unmask(text)?.value ?? '');
  }
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
 */
export function scanTexts(sources: readonly TextSource[], find: PiiFinder, hasTime: () => boolean): PiiScan {
  const writings = sources.map((source) => readText(source, 'all'));
  let missed: MissedReason | null = writings.every((writing) => writing.whole) ? null : 'unreadable';
  let scanned = false;
  const inTime = function* (pieces: Iterable<string>): Generator<string> {
    for (const piece of pieces) {
      if (!hasTime()) {
        missed = 'out_of_time';
        return;
      }
      scanned = true;
      yield piece;
    }
  };
  const texts = writings.flatMap(({ parts, beside = [] }) => [...parts, ...beside]);
  const unfolded = function* () {
    for (const text of texts) {
      const { parts, whole } = unfoldText(text);
      if (!whole) missed ??= 'unreadable';
      yield* parts;
    }
  };
  const types = detectPiiTypes(inTime(cut(unfolded())), find);
  return { types, extent: missed === null ? 'full' : scanned ? 'partial' : 'none', missed };
}
