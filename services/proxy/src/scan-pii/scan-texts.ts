import { parseJson } from '@agp/core/json';
import { detectPiiTypes, type PiiFinder, type PiiType } from '@agp/core/pii';
import { collectToolText } from '../providers/collect-text.ts';
import { readText, type TextSource } from '../text/index.ts';

/** What was found in the texts of one request and its answer. */
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

/** Texts are scanned in pieces of this length, so that the time that is left can be looked at between them. */
const pieceLength = 64 * 1024;

/** Pieces overlap by more than the longest thing that is looked for. */
const overlap = 4 * 1024;

/** Tools are given JSON, and answer in it, inside of strings: its escapes would hide what is written there. */
function* unfold(parts: readonly string[]): Generator<string> {
  for (const part of parts) {
    const values = /^\s*[{[]/.test(part) ? parseOrNull(part) : null;
    if (values) yield* collectToolText(values).parts;
    else yield part;
  }
}

function parseOrNull(text: string): object | null {
  try {
    return parseJson(text) as object | null;
  } catch {
    return null;
  }
}

function* cut(texts: Iterable<string>): Generator<string> {
  for (const text of texts) {
    for (let start = 0; start < text.length; start += pieceLength) {
      yield text.slice(Math.max(0, start - overlap), start + pieceLength);
    }
  }
}

/**
 * Reads and scans texts until they are through or time is up.
 *
 * @param hasTime asked before each piece of a text
 */
export function scanTexts(sources: readonly TextSource[], find: PiiFinder, hasTime: () => boolean): PiiScan {
  const writings = sources.map(readText);
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
  const types = detectPiiTypes(inTime(cut(unfold(writings.flatMap(({ parts }) => parts)))), find);
  return { types, extent: missed === null ? 'full' : scanned ? 'partial' : 'none', missed };
}
