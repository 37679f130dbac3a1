import type { StreamReader } from '../../providers/operation.ts';
import { GatheredText } from '../../text/gathered-text.ts';
import { FrameSplitter } from './frame-splitter.ts';
import { readFrame } from './read-frame.ts';
import { type BodyReader, type BodyReading, finishReading } from './response-reading.ts';

/** A larger frame is passed over: the largest that are known carry images, of a few MiB. */
const maxFrame = 8 * 1024 * 1024;

const byteOrderMark = '\xef\xbb\xbf';

/** Reads an SSE body frame by frame. */
export class SseReader implements BodyReader {
  readonly #reader: StreamReader;
  readonly #splitter = new FrameSplitter();
  readonly #parts = new GatheredText();
  #length = 0;
  #isFirst = true;
  #inspected = true;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    this.#splitter.push(text, (start, end, kind) => {
      if (kind === 'tail') return;
      this.#length += end - start;
      if (this.#length <= maxFrame) this.#parts.add(text.slice(start, end));
      else this.#parts.clear();
      if (kind === 'end') this.#endFrame();
    });
  }

  end(): BodyReading {
    // Some servers leave out the blank line after their last frame.
    if (this.#length > 0) this.#endFrame();
    return finishReading(this.#reader, this.#inspected);
  }

  #endFrame(): void {
    let text = this.#parts.read();
    if (this.#length > maxFrame) this.#inspected = false;
    this.#parts.clear();
    this.#length = 0;
    if (this.#isFirst && text.startsWith(byteOrderMark)) text = text.slice(byteOrderMark.length);
    this.#isFirst = false;
    const frame = readFrame(text);
    if (frame) this.#reader.push(frame.event, frame.data);
  }
}
