import type { Frame } from '../json/frame.ts';
import type { JsonObject } from '../json/members.ts';
import { BesideText } from './beside.ts';
import { maxText } from './strings.ts';
import type { Write, Writing } from './writing.ts';

const joinAt = 512;

export class GatheredText {
  #joined: string[] = [];
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < joinAt) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
    if (this.#joined.length < joinAt) return;
    this.#joined = [this.#joined.join('')];
  }

  read(): string {
    const pieces = this.#joined.length === 0 ? this.#pieces : [...this.#joined, ...this.#pieces];
    return pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
  }

  clear(): void {
    this.#joined = [];
    this.#pieces = [];
    this.#length = 0;
  }
}

/** Text is read from frames in batches of this many bytes, so that many small frames cost no more than a few large ones. */
const maxHeld = 64 * 1024;
/** A held frame, however small, may keep the whole chunk it came in from being freed. */
const maxHeldFrames = 64;

/** Answers have a handful of texts side by side; further ones are skipped. */
const maxChannels = 1_000;

/** Servers number their texts. Texts whose names are longer than this are joined into one. */
const maxName = 256;
const longNamed = 'long';

export const reasoningEnd = '.reasoning';

export const isNoReasoning = (channel: string): boolean => !channel.endsWith(reasoningEnd);

/** Gathers the texts of a stream's frames, each joined over the frames that it came in. */
export class StreamText {
  readonly #readFrame: (frame: unknown, write: Write) => void;
  #held: Frame[] = [];
  #heldLength = 0;
  readonly #channels = new Map<string, GatheredText>();
  readonly #beside = new BesideText('answer');
  #written: string[] = [];
  #length = 0;
  #whole = true;
  #isReadable = true;

  constructor(readFrame: (frame: unknown, write: Write) => void) {
    this.#readFrame = readFrame;
  }

  add(frame: Frame): void {
    if (this.#length >= maxText) {
      this.#whole = false;
      return;
    }
    this.#held.push(frame);
    this.#heldLength += frame.data.length;
    if (this.#heldLength > maxHeld || this.#held.length >= maxHeldFrames) this.#readHeld();
  }

  /** @param frame one without text of the model, or that repeats such text */
  addBeside(frame: JsonObject): void {
    this.#beside.add(frame, []);
  }

  read(isWanted: (channel: string) => boolean = () => true): Writing {
    this.#readHeld();
    const wanted = [...this.#channels].filter(([channel]) => isWanted(channel));
    return { parts: wanted.map(([, pieces]) => pieces.read()), whole: this.#whole };
  }

  readBeside(): Writing {
    const { parts, whole } = this.#beside.read(this.read().parts);
    return { parts, whole: whole && this.#isReadable };
  }

  #readHeld(): void {
    for (const frame of this.#held) {
      const value = frame.value();
      if (value === null) this.#addUnreadable(frame.text());
      this.#written = [];
      this.#readFrame(value, this.#write);
      this.#beside.add(value, this.#written);
    }
    this.#held = [];
    this.#heldLength = 0;
  }

  #addUnreadable(json: string): void {
    if (json.trim() === '' || json === '[DONE]' || json === 'null') return;
    this.#isReadable = false;
    this.#beside.add(json, []);
  }

  readonly #write: Write = (named, text) => {
    if (text === '') return;
    const channel = named.length > maxName ? longNamed : named;
    if (channel !== named) this.#whole = false;
    this.#length += text.length;
    this.#written.push(text);
    let pieces = this.#channels.get(channel);
    if (pieces === undefined) {
      if (this.#channels.size >= maxChannels) {
        this.#whole = false;
        return;
      }
      pieces = new GatheredText();
      this.#channels.set(channel, pieces);
    }
    pieces.add(text);
  };
}

export function readWriting(body: unknown, readFrame: (frame: unknown, write: Write) => void): Writing {
  const parts: string[] = [];
  readFrame(body, (_channel, text) => {
    if (text !== '') parts.push(text);
  });
  return { parts, whole: true };
}
