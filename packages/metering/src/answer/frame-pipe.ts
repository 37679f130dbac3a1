import type { StreamReader } from '../dialects/operation.ts';
import { Frame } from '../json/frame.ts';
import type { Framing, PieceKind, Splitter } from './frames.ts';
import { HeldPieces } from './held-pieces.ts';
import { openSplitter } from './open-splitter.ts';
import {
  type BodyPipe,
  type BodyReading,
  type FrameFilter,
  finishReading,
  type MemoryShare,
  maxFrameValues,
  maxPart,
  nothing,
  StreamPart,
} from './reading.ts';

/** A comment, or blank lines. */
const noFrame = new Frame('', '');

/**
 * The one stream of frames: split once, parsed at most once, read (usage, texts, called tools), and passed on as far as filters let it.
 *
 *   undecided --no filter holds it, or too long--> passing --frame ends--> undecided
 *       |                                                                     ^
 *       +--frame ends: passed, dropped, or the answer ends here --------------+
 */
export class FramePipe implements BodyPipe {
  readonly isHeld = false;
  readonly #splitter: Splitter;
  readonly #filters: readonly FrameFilter[];
  readonly #part = new StreamPart();
  readonly #held: HeldPieces;
  readonly #memory: MemoryShare | null;
  /** The filter that takes whole frames; undefined if none does. */
  readonly #taker: FrameFilter | undefined;
  #frame: Frame | null = null;
  later: Promise<Buffer> | null = null;
  #reader: StreamReader | null;
  #frames = 0;
  #isPassing = false;
  #droppedLast = false;
  #hasEnded = false;
  /** The chunk at hand: what of it passes, the last run as yet uncut. */
  #chunk: Buffer = nothing;
  #text = '';
  #passed: Buffer[] = [];
  #from = 0;
  #to = 0;

  constructor(
    framing: Framing,
    reader: StreamReader,
    filters: readonly FrameFilter[],
    memory: MemoryShare | null = null,
  ) {
    this.#held = new HeldPieces(memory, true);
    this.#splitter = openSplitter(framing);
    this.#reader = reader;
    this.#filters = filters;
    this.#memory = memory;
    this.#taker = filters.find((filter) => filter.take !== undefined);
  }

  get sawEnd(): boolean {
    return this.#reader?.sawEnd === true;
  }

  get isBusy(): boolean {
    return this.#taker?.isBusy === true;
  }

  goOn(): Buffer {
    this.#passed.push(this.#taker?.goOn?.() ?? nothing);
    this.#judgeTaken(this.#frame);
    return this.#takePassed();
  }

  push(chunk: Buffer): Buffer {
    if (this.#reader === null && this.#filters.length === 0) return chunk;
    this.#chunk = chunk;
    this.#text = chunk.toString('latin1');
    this.#splitter.push(this.#text, this.#onPiece);
    return this.#filters.length === 0 ? chunk : this.#takePassed();
  }

  end(): Buffer {
    this.#endFrame(this.#part.take(), true);
    const last = this.#hasEnded || this.#droppedLast ? nothing : this.#held.take();
    this.#held.clear();
    const taken = last.length === 0 ? last : (this.#taker?.take?.(this.#frame, last) ?? last);
    const rest = this.#taker?.end && !this.#hasEnded ? Buffer.concat([taken, this.#taker.end()]) : taken;
    const later = this.#taker?.later ?? null;
    if (later === null) return this.#passLast(rest);
    this.later = later.then((bytes) => this.#passLast(Buffer.concat([rest, bytes])));
    return nothing;
  }

  #passLast(rest: Buffer): Buffer {
    const changed = rest.length > 0 ? this.#rewrite(rest, rest.toString('latin1')) : rest;
    const kept = this.#filters.flatMap((filter) => (filter === this.#taker ? [] : (filter.end?.() ?? [])));
    return kept.length === 0 ? changed : Buffer.concat([changed, ...kept]);
  }

  read(): BodyReading {
    this.#endFrame(this.#part.take(), true);
    return finishReading(this.#reader as StreamReader, this.#part.isComplete, this.#frames);
  }

  forget(): void {
    this.#reader = null;
  }

  close(): void {
    this.#held.clear();
  }

  readonly #onPiece = (start: number, end: number, kind: PieceKind): void => {
    if (kind === 'tail') {
      if (this.#droppedLast || this.#hasEnded) return;
      this.#frame = null;
      this.#passFrame(start, end);
      return;
    }
    const piece = this.#text.slice(start, end);
    if (kind === 'part') {
      // Nobody reads a frame that passes once its reader is forgotten.
      if (this.#reader === null && this.#isPassing) this.#part.take();
      else this.#part.add(piece);
      if (this.#filters.length > 0 && !this.#hasEnded) this.#passPart(start, end);
      return;
    }
    const isWhole = this.#part.length === 0 && piece.length <= maxFrameValues;
    if (!isWhole) this.#part.add(piece);
    const passed = this.#isPassing;
    this.#endFrame(isWhole ? piece : this.#part.take());
    if (passed) this.#droppedLast = false;
    if (this.#droppedLast || this.#hasEnded) this.#held.clear();
    else if (this.#filters.length > 0) {
      this.#passFrame(start, end);
    }
    this.#isPassing = false;
  };

  /** What is held of a frame, and its end; or to who takes whole frames. */
  #passFrame(start: number, end: number): void {
    if (this.#taker?.take === undefined || this.#isPassing) {
      this.#passHeld();
      this.#pass(start, end);
      return;
    }
    const raw = Buffer.concat([this.#held.take(), this.#chunk.subarray(start, end)]);
    this.#passed.push(this.#taker.take(this.#frame, raw));
    this.#judgeTaken(this.#frame);
  }

  #judgeTaken(frame: Frame | null): void {
    const held = this.#taker?.held ?? 0;
    const isTooMuch = held > maxPart || this.#memory?.hold(held) === false;
    this.#hasEnded = this.#taker?.judge(isTooMuch ? null : (frame ?? noFrame)) === 'ended';
    if (isTooMuch && !this.#hasEnded) this.#passed.push(this.#taker?.giveUp?.() ?? nothing);
  }

  #passPart(start: number, end: number): void {
    if (!this.#isPassing && this.#filters.some((filter) => filter.holds(this.#part))) {
      if (this.#held.hold(this.#chunk.subarray(start, end), maxPart)) return;
      this.#hasEnded = this.#filters.some((filter) => filter.judge(null) === 'ended');
      if (this.#hasEnded) this.#held.clear();
      else {
        if (this.#taker?.giveUp) this.#passed.push(this.#taker.giveUp());
        // It holds this piece too, behind what passes of the chunk.
        this.#cut();
      }
      this.#passHeld();
    } else {
      this.#passHeld();
      this.#pass(start, end);
    }
    this.#isPassing = true;
  }

  /** @param text of the frame; null if it was too long to be kept, or there is none @param isCut the stream ends within it */
  #endFrame(text: string | null, isCut = false): void {
    const { ends } = this.#part;
    if (text === null && ends === null) return;
    const frame = this.#splitter.read(text ?? ends?.head ?? '');
    this.#frame = text === null ? null : (frame ?? null);
    this.#droppedLast = false;
    if (frame === undefined || (text === null && ends !== null)) {
      this.#frames += 1;
      // Of what was cut there is no more to read, as of a line of SSE.
      this.#part.isComplete &&= isCut && text !== null;
      if (text === null && ends !== null) this.#reader?.pushEnds?.(frame?.event ?? '', frame?.data ?? '', ends.tail);
      if (!this.#isPassing) this.#hasEnded ||= this.#filters.some((filter) => filter.judge(null) === 'ended');
      return;
    }
    if (frame === null) return;
    this.#frames += 1;
    this.#reader?.push(frame);
    if (this.#hasEnded || this.#isPassing) return;
    for (const filter of this.#filters) {
      const verdict = filter.judge(frame);
      if (verdict === 'passes') continue;
      this.#droppedLast = verdict === 'dropped';
      this.#hasEnded = verdict === 'ended';
      return;
    }
  }

  #passHeld(): void {
    if (this.#held.length > 0) this.#passed.push(this.#held.take());
  }

  #pass(start: number, end: number): void {
    if (this.#to !== start) {
      this.#cut();
      this.#from = start;
    }
    this.#to = end;
  }

  /** Ends the run of the chunk that passes uncut. */
  #cut(): void {
    if (this.#to > this.#from) this.#passed.push(this.#chunk.subarray(this.#from, this.#to));
    this.#from = this.#to = 0;
  }

  #takePassed(): Buffer {
    const isAll = this.#passed.length === 0 && this.#from === 0 && this.#to === this.#chunk.length;
    if (!isAll) this.#cut();
    const bytes = isAll ? this.#chunk : Buffer.concat(this.#passed);
    const changed = this.#rewrite(bytes, isAll ? this.#text : bytes.toString('latin1'));
    this.#passed = [];
    this.#from = this.#to = 0;
    this.#chunk = nothing;
    return changed;
  }

  #rewrite(bytes: Buffer, text: string): Buffer {
    let changed = bytes;
    for (const filter of this.#filters) changed = filter.rewrite?.(changed, text) ?? changed;
    return changed;
  }
}
