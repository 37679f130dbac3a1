import { endString } from '@agp/core/json';
import type { TextSearch } from '@agp/pii';
import { type Found, findInLiteral, openOffsets } from './find-places.ts';
import { openHolder } from './holder.ts';
import { isWordy } from './kept-labels.ts';
import { decodeLiteral } from './literals.ts';
import type { Place } from './places.ts';

/** A part of a text that came in one frame. */
export interface Piece {
  /** Where it begins and ends in the text of its channel. */
  start: number;
  end: number;
  /** Found in it, as offsets of the channel. */
  places: Place[];
  isClear: boolean;
}

/** Characters before what is still open that a search looks at: words that tell what a number is. */
const context = 256;
/** What waits long is searched when it has grown by a share of itself: else a key without end would cost its length for each frame. */
const longWait = 1_024;
const stepsOfWait = 32;
/** A string of JSON within JSON waits until it is whole, up to this length. */
const maxInner = 64 * 1024;

/** What of a text is decided so far: everything before `clear`, in which `places` were found. */
interface Step {
  clear: number;
  places: readonly Place[];
}

/**
 * One text of a stream, which comes in pieces. What is before its open end is clear.
 *
 *   undecided --its first sign is { [ or "--> JSON, string by string --it is none--> plain
 *       +-----any other sign----------------------------------------------------> plain
 */
export class TextChannel {
  readonly #search: TextSearch;
  readonly #pieces: Piece[] = [];
  #text = '';
  /** Of the channel, at which the kept text begins. */
  #base = 0;
  #clear = 0;
  #json: JsonText | null | undefined;
  /** Of the channel, up to which it grows before it is searched again. */
  #next = 0;
  unsearched: string | null = null;

  constructor(search: TextSearch) {
    this.#search = search;
  }

  add(text: string): Piece {
    const start = this.#base + this.#text.length;
    const piece = { start, end: start + text.length, places: [], isClear: false };
    this.#pieces.push(piece);
    this.#text += text;
    if (this.#base + this.#text.length >= this.#next) this.#go(false);
    return piece;
  }

  /** No more comes of it that belongs to what came. */
  end(): void {
    this.#go(true);
    this.#text = '';
    this.#base = this.#clear;
    this.#json = undefined;
  }

  #go(isEnd: boolean): void {
    if (this.#json === undefined) {
      const [first] = /\S/.exec(this.#text) ?? [];
      if (first === undefined) {
        // White space alone holds nothing.
        this.#settle({ clear: this.#text.length, places: [] });
        return;
      }
      this.#json = '{["'.includes(first) ? new JsonText(this.#search) : null;
    }
    const read = this.#json?.step(this.#text, this.#clear - this.#base, isEnd) ?? null;
    if (read === null) this.#json = null;
    this.unsearched ??= this.#json?.unsearched ?? null;
    this.#settle(read ?? this.#stepPlain(isEnd));
    const length = this.#base + this.#text.length;
    if (length - this.#clear > longWait) this.#next = length + (length - this.#clear) / stepsOfWait;
    const kept = Math.min(
      this.#json?.from ?? Number.POSITIVE_INFINITY,
      Math.max(0, this.#clear - this.#base - context),
    );
    if (kept < context) return;
    this.#text = this.#text.slice(kept);
    this.#base += kept;
    this.#json?.drop(kept);
  }

  #stepPlain(isEnd: boolean): Step {
    const clear = isEnd ? this.#text.length : this.#search.findOpen(this.#text);
    const places = this.#search.find(this.#text).map(({ kind, start, end }): Place => {
      const value = this.#text.slice(start, end);
      return { kind, start, end, value, depth: 1, isBare: false, isRest: false, decided: {} };
    });
    return { clear, places };
  }

  #settle({ clear, places }: Step): void {
    const from = this.#clear;
    const to = Math.max(from, this.#base + clear);
    for (const place of places) {
      const [start, end] = [Math.max(from, this.#base + place.start), Math.min(to, this.#base + place.end)];
      let isRest = this.#base + place.start < from;
      if (start >= end) continue;
      for (const piece of this.#pieces) {
        if (piece.end <= start || piece.start >= end) continue;
        const within = { start: Math.max(piece.start, start), end: Math.min(piece.end, end) };
        piece.places.push({ ...place, ...within, isRest });
        isRest = true;
      }
    }
    this.#clear = to;
    while (this.#pieces[0] !== undefined && this.#pieces[0].end <= to) {
      const [piece] = this.#pieces.splice(0, 1);
      (piece as Piece).isClear = true;
    }
  }
}

const number = /-?[\d.eE+-]+/y;
const word = /[a-z]+/y;
const longestOpen = 80;
const openBracket = /\[[a-z0-9_ ]*$/;
const cutEscape = /\\(?:u[0-9a-fA-F]{0,3})?$/;

/** JSON that comes in pieces, such as arguments of a tool: each of its strings is a text. */
class JsonText {
  readonly #search: TextSearch;
  readonly #open: ('{' | '[')[] = [];
  /** From here on it is not read yet; offsets are of the text that the channel keeps. */
  from = 0;
  #key = '';
  #isValue = false;
  /** The value that is the JSON has ended. */
  #isWhole = false;
  /** The begin of a long string that is open was dropped. */
  #isWithin = false;
  unsearched: string | null = null;

  constructor(search: TextSearch) {
    this.#search = search;
  }

  drop(characters: number): void {
    this.from -= characters;
  }

  /** Null if it is no JSON after all. */
  step(text: string, clear: number, isEnd: boolean): Step | null {
    const places: Place[] = [];
    for (;;) {
      const first = text[this.from];
      if (first === undefined) return { clear: isEnd ? text.length : this.#findBracket(text), places };
      // Only a text says more behind a value.
      if (this.#isWhole && /\S/.test(first)) return null;
      if (first === '"' || this.#isWithin) {
        const end = endString(text, this.from + (this.#isWithin ? 0 : 1));
        if (end < 0) {
          const step = this.#stepWithin(text, isEnd);
          return { clear: Math.max(clear, step.clear), places: [...places, ...step.places] };
        }
        places.push(...this.#read(text, end).places);
        this.from = end;
        this.#isWithin = false;
        this.#isWhole = this.#open.length === 0;
        continue;
      }
      if (/[-\d]/.test(first)) {
        number.lastIndex = this.from;
        number.test(text);
        // Digits of a text that only begins like JSON may go on behind a space.
        const [behind] = /\S/.exec(text.slice(number.lastIndex, number.lastIndex + 8)) ?? [];
        if (behind === undefined && !isEnd) return { clear: this.from, places };
        if (behind !== undefined && !',]}'.includes(behind)) return null;
        places.push(...this.#find(text, this.from, number.lastIndex, 'number').places);
        this.from = number.lastIndex;
      } else if (/[a-z]/.test(first)) {
        word.lastIndex = this.from;
        const [found = ''] = word.exec(text) ?? [];
        if (word.lastIndex === text.length && !isEnd && found.length < 5)
          return { clear: Math.min(this.from, this.#findBracket(text)), places };
        if (!/^(?:true|false|null)$/.test(found)) return null;
        this.from += found.length;
      } else if (!this.#take(first)) return null;
    }
  }

  /** Where a last bracket stands that may begin a label of a text that is no JSON. */
  #findBracket(text: string): number {
    const end = text.slice(-longestOpen);
    const at = openBracket.exec(end)?.index ?? end.length;
    return text.length - end.length + at + this.#search.findOpen(end.slice(at));
  }

  #take(first: string): boolean {
    if (first === '{' || first === '[') this.#open.push(first);
    else if (first === '}' || first === ']') {
      this.#open.pop();
      this.#isWhole = this.#open.length === 0;
    } else if (!/[\s:,]/.test(first)) return false;
    if (first === ':') this.#isValue = true;
    else if (/[{[,}\]]/.test(first)) this.#isValue = false;
    this.from += 1;
    return true;
  }

  #read(text: string, end: number): Found {
    const isName = this.#open.at(-1) === '{' && !this.#isValue;
    if (this.#isWithin) return this.#stepWithin(text.slice(0, end - 1), true);
    if (isName) this.#key = decodeLiteral(text.slice(this.from, end)) ?? '';
    return this.#find(text, this.from, end, isName ? 'name' : 'string');
  }

  #find(text: string, start: number, end: number, kind: 'string' | 'number' | 'name'): Found {
    const written = text.slice(start, end);
    const value = kind === 'number' ? written : decodeLiteral(written);
    if (value === null || (kind === 'name' && isWordy(value))) return { places: [], unsearched: null };
    const holder = openHolder(null, '', false, true);
    // A place of a stream is in a string of a frame, which escapes once more.
    const found = findInLiteral(text, { start, end, kind, key: this.#key, holder }, value, this.#search, 1);
    this.unsearched ??= found.unsearched;
    return found;
  }

  /** A string whose end has not come. */
  #stepWithin(text: string, isEnd: boolean): Step & Found {
    const start = this.from + (this.#isWithin ? 0 : 1);
    let written = text.slice(start);
    if (!isEnd)
      written = written.replace(/(?<!\\)(?:\\\\)*\\(?:u[0-9a-fA-F]{0,3})?$/, (cut) => cut.replace(cutEscape, ''));
    const value = decodeLiteral(`"${written}"`);
    const waits = value === null || (/^\s*[{[]\s*["{[]/.test(value) && value.length < maxInner);
    if (waits && !isEnd) return { clear: this.from, places: [], unsearched: null };
    const shown = value ?? written;
    const before = this.#isWithin ? '' : `${this.#key}: `;
    const toWritten = openOffsets(written, start);
    const open = isEnd ? shown.length : this.#search.findOpen(before + shown) - before.length;
    const places = this.#search.find(before + shown).flatMap(({ kind, start: from, end }): Place[] => {
      const [first, last] = [Math.max(0, from - before.length), end - before.length];
      if (last <= 0 || last > open) return [];
      const at = { start: toWritten(first), end: toWritten(last) };
      return [{ ...at, kind, value: shown.slice(first, last), depth: 2, isBare: false, isRest: false, decided: {} }];
    });
    const clear = open <= 0 ? start : toWritten(open);
    if (!isEnd && open > 2 * context) {
      this.from = toWritten(open - context);
      this.#isWithin = true;
    }
    return { clear, places, unsearched: null };
  }
}
