import type { StreamReader } from '../dialects/operation.ts';
import { type BodyReader, type BodyReading, finishReading, StreamPart } from './reading.ts';

const lineFeed = 10;
const carriageReturn = 13;

/** `part` of a frame that goes on, `end` of it with its blank line, or the line feed of a blank line that was cut (`tail`). */
type PieceKind = 'part' | 'end' | 'tail';

/**
 * Finds the borders of SSE frames in bytes, however they are split: lines end with LF, CRLF or CR, an empty one ends a frame.
 */
export class FrameSplitter {
  #lineIsEmpty = true;
  #frameIsEmpty = true;
  #afterReturn = false;

  push(text: string, onPiece: (start: number, end: number, kind: PieceKind) => void): void {
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
}

export function readFrame(frame: string): { event: string; data: string } | null {
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
  return data === null ? null : { event, data };
}

function fieldValue(line: string, nameLength: number): string | null {
  if (line.length === nameLength) return '';
  if (line[nameLength] !== ':') return null;
  return line.slice(line[nameLength + 1] === ' ' ? nameLength + 2 : nameLength + 1);
}

const byteOrderMark = '\xef\xbb\xbf';

export class SseReader implements BodyReader {
  readonly #reader: StreamReader;
  readonly #splitter = new FrameSplitter();
  readonly #frame = new StreamPart();
  #isFirst = true;
  #frames = 0;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    this.#splitter.push(text, (start, end, kind) => {
      if (kind === 'tail') return;
      this.#frame.add(text.slice(start, end));
      if (kind === 'end') this.#endFrame();
    });
  }

  end(): BodyReading {
    // Some servers leave out the blank line after their last frame.
    this.#endFrame();
    return finishReading(this.#reader, this.#frame.isComplete, this.#frames);
  }

  #endFrame(): void {
    const text = this.#frame.take() ?? '';
    const { ends } = this.#frame;
    if (ends) {
      const { event, data } = readFrame(ends.head) ?? { event: '', data: '' };
      this.#frames += 1;
      this.#reader.pushEnds?.(event, data, ends.tail);
    }
    const isMarked = this.#isFirst && text.startsWith(byteOrderMark);
    this.#isFirst = false;
    const frame = readFrame(isMarked ? text.slice(byteOrderMark.length) : text);
    if (frame === null) return;
    this.#frames += 1;
    this.#reader.push(frame.event, frame.data);
  }
}
