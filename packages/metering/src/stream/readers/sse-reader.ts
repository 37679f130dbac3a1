import type { StreamReader } from '../../providers/operation.ts';
import { FrameSplitter } from './frame-splitter.ts';
import { readFrame } from './read-frame.ts';
import { type BodyReader, type BodyReading, finishReading } from './response-reading.ts';
import { StreamPart } from './stream-part.ts';

const byteOrderMark = '\xef\xbb\xbf';

/** Reads an SSE body frame by frame. */
export class SseReader implements BodyReader {
  readonly #reader: StreamReader;
  readonly #splitter = new FrameSplitter();
  readonly #frame = new StreamPart();
  #isFirst = true;

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
    return finishReading(this.#reader, this.#frame.isComplete);
  }

  #endFrame(): void {
    const text = this.#frame.take() ?? '';
    const isMarked = this.#isFirst && text.startsWith(byteOrderMark);
    this.#isFirst = false;
    const frame = readFrame(isMarked ? text.slice(byteOrderMark.length) : text);
    if (frame) this.#reader.push(frame.event, frame.data);
  }
}
