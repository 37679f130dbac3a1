import { Frame } from '../json/frame.ts';

const lineFeed = 10;
const carriageReturn = 13;

/** `part` of a frame that goes on, `end` of it with its blank line, or the line feed of a blank line that was cut (`tail`). */
export type PieceKind = 'part' | 'end' | 'tail';

type OnPiece = (start: number, end: number, kind: PieceKind) => void;

/** Finds where frames end in bytes, however these are split; a text has each byte as one character. */
export interface Splitter {
  push(text: string, onPiece: OnPiece): void;
  /** Null for a frame without data, undefined for one that cannot be read. */
  read(frame: string): Frame | null | undefined;
  /** The same frame with other data. @param raw as it was sent */
  rewrite(raw: Buffer, data: Buffer): Buffer;
}

/** As SSE frames, as a line for each, or as messages of AWS' event stream. */
export type Framing = 'frames' | 'lines' | 'events';

const linesOf = /[^\r\n]*(?:\r\n|\r|\n|$)/g;
const dataLine = /^(?:\xef\xbb\xbf)?data: ?/;

/** In one line; other lines stay. */
function rewriteLines(raw: Buffer, data: Buffer, isOfLines: boolean): Buffer {
  const written = data.toString('latin1').replaceAll(/[\r\n]/g, ' ');
  let isWritten = false;
  const lines = (raw.toString('latin1').match(linesOf) ?? []).map((line) => {
    const [field] = isOfLines ? [''] : (dataLine.exec(line) ?? []);
    if (field === undefined || line.trim() === '') return line;
    const own = isWritten ? '' : `${field}${written}${/[\r\n]*$/.exec(line)?.[0]}`;
    isWritten = true;
    return own;
  });
  return Buffer.from(lines.join(''), 'latin1');
}

export class LineSplitter implements Splitter {
  push(text: string, onPiece: OnPiece): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      onPiece(start, end + 1, 'end');
      start = end + 1;
    }
    if (start < text.length) onPiece(start, text.length, 'part');
  }

  read(frame: string): Frame | null {
    const line = frame.endsWith('\n') ? frame.slice(0, -1) : frame;
    return line === '' ? null : new Frame('', line);
  }

  rewrite(raw: Buffer, data: Buffer): Buffer {
    return rewriteLines(raw, data, true);
  }
}

const byteOrderMark = '\xef\xbb\xbf';

/** SSE: lines end with LF, CRLF or CR, an empty one ends a frame. */
export class FrameSplitter implements Splitter {
  #lineIsEmpty = true;
  #frameIsEmpty = true;
  #afterReturn = false;
  #isFirst = true;

  push(text: string, onPiece: OnPiece): void {
    let start = 0;
    let lineStart = 0;
    if (this.#afterReturn && text.charCodeAt(0) === lineFeed) {
      lineStart = 1;
      if (this.#frameIsEmpty) {
        onPiece(0, 1, 'tail');
        start = 1;
      }
    }
    if (text !== '') this.#afterReturn = false;
    let feed = text.indexOf('\n', lineStart);
    let back = text.indexOf('\r', lineStart);
    while (feed >= 0 || back >= 0) {
      const eol = feed < 0 || (back >= 0 && back < feed) ? back : feed;
      let next = eol + 1;
      if (text.charCodeAt(eol) === carriageReturn) {
        if (text.charCodeAt(next) === lineFeed) next += 1;
        else this.#afterReturn = next === text.length;
      }
      if (this.#lineIsEmpty && eol === lineStart) {
        if (start === eol) next = this.#passBlank(text, next);
        onPiece(start, next, 'end');
        start = next;
      }
      this.#lineIsEmpty = true;
      lineStart = next;
      if (feed >= 0 && feed < next) feed = text.indexOf('\n', next);
      if (back >= 0 && back < next) back = text.indexOf('\r', next);
    }
    if (lineStart < text.length) this.#lineIsEmpty = false;
    if (start < text.length) onPiece(start, text.length, 'part');
    if (text !== '') this.#frameIsEmpty = start === text.length;
  }

  /** Blank lines that follow a blank frame are one with it: they may be millions. */
  #passBlank(text: string, from: number): number {
    let next = from;
    while (text.charCodeAt(next) === lineFeed || text.charCodeAt(next) === carriageReturn) next += 1;
    if (next > from) this.#afterReturn = next === text.length && text.charCodeAt(next - 1) === carriageReturn;
    return next;
  }

  read(frame: string): Frame | null {
    const isMarked = this.#isFirst && frame.startsWith(byteOrderMark);
    this.#isFirst = false;
    return readFrame(isMarked ? frame.slice(byteOrderMark.length) : frame);
  }

  rewrite(raw: Buffer, data: Buffer): Buffer {
    return rewriteLines(raw, data, false);
  }
}

function readFrame(frame: string): Frame | null {
  if (!/[^\r\n]/.test(frame)) return null;
  let event = '';
  let data: string | null = null;
  for (const line of frame.includes('\r') ? frame.split(/\r\n|\r|\n/) : frame.split('\n')) {
    if (line.startsWith('data')) {
      const value = fieldValue(line, 4);
      if (value !== null) data = data === null ? value : `${data}\n${value}`;
    } else if (line.startsWith('event')) {
      event = fieldValue(line, 5) ?? event;
    }
  }
  return data === null ? null : new Frame(event, data);
}

function fieldValue(line: string, nameLength: number): string | null {
  if (line.length === nameLength) return '';
  if (line[nameLength] !== ':') return null;
  return line.slice(line[nameLength + 1] === ' ' ? nameLength + 2 : nameLength + 1);
}
