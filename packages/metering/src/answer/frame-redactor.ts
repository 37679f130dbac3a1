import { inTurns } from '@agp/runtime/fairness';
import type { Frame } from '../json/frame.ts';
import { SignedTexts } from '../redaction/blocks.ts';
import { spread, type TextPart } from '../redaction/checked-texts.ts';
import { findInLiteral, findInText, openOffsets, readText } from '../redaction/find-places.ts';
import type { Holder, Literal } from '../redaction/holder.ts';
import { dropKept } from '../redaction/kept-labels.ts';
import { listLiterals } from '../redaction/literals.ts';
import { clip, type Place } from '../redaction/places.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { atOnce, replaceInSteps } from '../redaction/replace-places.ts';
import { type Piece, TextChannel } from '../redaction/text-channel.ts';
import { isFile, nameUnsearched } from '../redaction/unsearched.ts';
import { isPadding } from './event-stream.ts';
import { FrameTexts, scopeOf } from './frame-texts.ts';
import type { Framing, Splitter } from './frames.ts';
import { openSplitter } from './open-splitter.ts';
import { type FrameFilter, nothing } from './reading.ts';

/** A frame of such a type ends the texts of its block or item; a reason to stop does not: some servers give one in each frame. */
const endingType = /(?:\.done|_stop|Stop|\.completed|\.incomplete|\.failed)$/;

interface Waiting {
  raw: Buffer;
  frame: Frame | null;
  data: string;
  /** Parts of literals, each from a UTF-16 unit of its literal on. */
  pieces: { literal: Literal; at: number; piece: Piece; isSigned: boolean }[];
  /** Found in its data, or put there by checks. */
  places: Place[];
}

type CheckedParts = Map<string, (TextPart & { waiting: Waiting })[]>;

/** Of a frame, in UTF-16 units. */
const maxSearched = 1_000_000;
/** What is searched at once is so long that it takes some milliseconds, but not much shorter than what is searched anew before it. */
const [stepNs, leastStep] = [3e6, 512];

/** More bytes, of a frame or of all that waits, are written in steps. */
const longFrame = 256 * 1024;

/** Of a stream of events, what is neither a field nor a comment. */
const strayLine = /^(?!(?:\xef\xbb\xbf)?(?:data|event|id|retry|)(?::|$))[^\r\n]*[^\s]/m;
/** What is no JSON in a stream, such as `[DONE]`. */
const plainWord = /^\s*\[?[\w .:+-]{0,64}\]?\s*$/;

/**
 * Searches the texts of a stream, and passes each frame on once all of its texts are clear; findings are replaced in the frames that they
 * came in, all else stays as it was sent. A finding that ends the answer ends it before the frame in which it begins.
 */
export class FrameRedactor implements FrameFilter {
  readonly #redactor: Redactor;
  readonly #framing: Framing;
  readonly #splitter: Pick<Splitter, 'rewrite'>;
  readonly #texts: FrameTexts;
  readonly #waiting: Waiting[] = [];
  #held = 0;
  #frames = 0;
  /** The texts of all frames, if checks outside are asked about them before any passes. */
  #checked: CheckedParts | null;
  /** A frame is read, and what is clear then is written. */
  #working: Generator<undefined, Buffer> | null = null;
  later: Promise<Buffer> | null = null;

  constructor(redactor: Redactor, framing: Framing) {
    this.#redactor = redactor;
    this.#framing = framing;
    this.#splitter = openSplitter(framing);
    this.#texts = new FrameTexts(redactor.search, (what) => redactor.passesUnread(what));
    this.#checked = redactor.check === undefined ? null : new Map();
  }

  holds(): boolean {
    return true;
  }

  /** Bytes of frames that wait. */
  get held(): number {
    return this.#held;
  }

  judge(frame: Frame | null): 'passes' | 'ended' {
    if (frame === null && !this.#redactor.passesUnread('a frame that is too long')) return 'ended';
    return this.#redactor.hasEnded ? 'ended' : 'passes';
  }

  /** @param frame null for bytes that belong to none @returns what may pass now, of this frame and those before it */
  take(frame: Frame | null, raw: Buffer): Buffer {
    const before = this.#finish();
    const waiting: Waiting = { raw, frame, data: '', pieces: [], places: [] };
    this.#waiting.push(waiting);
    this.#held += raw.length;
    this.#working = this.#readAndPass(waiting, frame);
    return join(before, this.goOn());
  }

  *#readAndPass(waiting: Waiting, frame: Frame | null): Generator<undefined, Buffer> {
    yield* this.#read(waiting, frame);
    return yield* this.#pass();
  }

  get isBusy(): boolean {
    return this.#working !== null;
  }

  goOn(): Buffer {
    const step = this.#working?.next();
    if (step?.done !== true) return nothing;
    this.#working = null;
    return step.value;
  }

  #finish(): Buffer {
    const rest = this.#working === null ? nothing : atOnce(this.#working);
    this.#working = null;
    return rest;
  }

  /** Checks are not asked about a part of a text. */
  giveUp(): Buffer {
    const before = this.#finish();
    if (this.#checked !== null && this.#redactor.passesUnchecked?.() === false) return before;
    this.#texts.end('');
    this.#checked = null;
    return join(before, atOnce(this.#pass(true)));
  }

  end(): Buffer {
    const before = this.#finish();
    this.#texts.end('');
    const isLong = this.#held > longFrame;
    if (this.later !== null || (this.#checked === null && !isLong)) return join(before, atOnce(this.#pass()));
    this.later = this.#checked === null ? inTurns(this.#pass()) : this.#check(this.#checked);
    return before;
  }

  async #check(texts: CheckedParts): Promise<Buffer> {
    // Frames repeat what providers say of them, and the whole text at its end.
    const alike = Map.groupBy(texts.values(), (parts) => parts.map(({ value }) => value).join(''));
    const all = [...alike.values()];
    for (const put of (await this.#redactor.check?.([...alike.keys()].map((text, id) => ({ id, text })))) ?? [])
      for (const [{ waiting }, place] of (all[put.id] ?? []).flatMap((parts) => spread(parts, put)))
        waiting.places.push(place);
    return this.#redactor.hasEnded ? nothing : inTurns(this.#pass(true));
  }

  *#read(waiting: Waiting, frame: Frame | null): Generator<undefined, void> {
    if (frame !== null) yield* this.#readFrame(waiting, frame);
    else if (this.#framing === 'frames' && strayLine.test(waiting.raw.toString('latin1')))
      this.#redactor.passesUnread('a line of a stream that is of no event');
    if (this.#framing === 'lines') this.#texts.end('');
  }

  *#readFrame(waiting: Waiting, frame: Frame): Generator<undefined, void> {
    const data = frame.text();
    waiting.data = data;
    const literals = listLiterals(data);
    if (literals === null) {
      if (!plainWord.test(data)) this.#redactor.passesUnread('a frame that is no JSON');
      waiting.places.push(...findInText(data, this.#redactor.search).places);
      this.#texts.endFrame(null);
      return;
    }
    const root = findRoot(literals);
    const signed = new SignedTexts('answer');
    let ended: string | null = null;
    let left = maxSearched;
    let searched = 0;
    const step = Math.max(leastStep, Math.floor(stepNs / this.#redactor.search.nsPerUnit));
    for (const literal of literals) {
      const isAlone = literal.kind === 'number' && literal.holder.parent === null && literal.holder.isArray;
      const value = isAlone ? data.slice(literal.start, literal.end) : readText(data, literal, 'answer');
      if (value === undefined) this.#redactor.passesUnread('a frame that is no JSON');
      if (literal.key === 'type' && literal.holder === root && endingType.test(root.type)) ended = scopeOf(root);
      if (value === null || value === undefined) continue;
      if (this.#framing === 'events' && literal.holder === root && isPadding(literal.key, value)) continue;
      const isTooLong = value.length > left && !isFile(literal, value);
      const unsearched = isTooLong ? 'a frame with more than a million characters' : nameUnsearched(literal, value);
      if (unsearched !== null) this.#redactor.passesUnread(unsearched);
      if (isTooLong || isFile(literal, value)) continue;
      left -= value.length;
      const isSigned = signed.has(literal);
      if (this.#checked && literal.kind === 'string') this.#keep(waiting, { literal, value, isSigned }, root);
      const { channel, isWhole } = this.#texts.open(literal, value, root);
      if (channel !== null) yield* this.#add(waiting, literal, value, channel, step, isSigned);
      if (isWhole && literal.kind === 'string' && value.length > step) {
        const own = new TextChannel(this.#redactor.search);
        yield* this.#add(waiting, literal, value, own, step, isSigned);
        own.end();
      } else if (isWhole) {
        const { places, unsearched: inner } = findInLiteral(data, literal, value, this.#redactor.search, 0);
        if (inner !== null) this.#redactor.passesUnread(inner);
        for (const place of places) waiting.places.push(isSigned ? { ...place, isSigned } : place);
      }
      searched += value.length;
      if (searched <= step) continue;
      searched = 0;
      yield;
    }
    this.#texts.endFrame(root);
    if (root !== null && endingType.test(frame.event)) ended ??= scopeOf(root);
    if (ended !== null) this.#texts.end(ended);
  }

  /** In steps, between which others have their turn. */
  *#add(
    waiting: Waiting,
    literal: Literal,
    value: string,
    channel: TextChannel,
    step: number,
    isSigned: boolean,
  ): Generator<undefined, void> {
    for (let at = 0; at < value.length; at += step) {
      if (at > 0) yield;
      waiting.pieces.push({ literal, at, piece: channel.add(value.slice(at, at + step)), isSigned });
    }
    if (channel.unsearched !== null) this.#redactor.passesUnread(channel.unsearched);
  }

  #keep(waiting: Waiting, part: Pick<TextPart, 'literal' | 'value' | 'isSigned'>, root: Holder | null): void {
    const { literal } = part;
    const name = this.#texts.isContinued(literal) ? this.#texts.name(literal, root) : `${this.#frames++}`;
    const parts = this.#checked?.get(name) ?? [];
    parts.push({ waiting, json: waiting.data, ...part });
    this.#checked?.set(name, parts);
  }

  /** In steps, between which others have their turn. */
  *#pass(isChecked = this.#checked === null): Generator<undefined, Buffer> {
    const passed: Buffer[] = [];
    if (!isChecked) return nothing;
    for (let [first] = this.#waiting; first?.pieces.every(({ piece }) => piece.isClear); [first] = this.#waiting) {
      this.#waiting.shift();
      this.#held -= first.raw.length;
      const bytes = yield* this.#write(first);
      if (this.#redactor.hasEnded) break;
      passed.push(bytes);
    }
    return passed.length === 1 ? (passed[0] as Buffer) : Buffer.concat(passed);
  }

  *#write({ raw, frame, data, pieces, places }: Waiting): Generator<undefined, Buffer> {
    const isLong = data.length > longFrame;
    const all: Place[] = [];
    const found = pieces.filter(({ piece }) => piece.places.length > 0);
    for (const [literal, parts] of Map.groupBy(found, (part) => part.literal)) {
      const toWritten = openOffsets(data.slice(literal.start + 1, literal.end - 1), literal.start + 1);
      const value = readText(data, literal, 'answer') ?? '';
      for (const { at, piece, isSigned } of parts) {
        if (isLong) yield;
        const from = at - piece.start;
        const own = piece.places.map((place) => ({ ...place, start: from + place.start, end: from + place.end }));
        for (const { start, end, ...place } of dropKept(own, literal, value))
          all.push({ ...place, ...(isSigned && { isSigned }), start: toWritten(start), end: toWritten(end) });
      }
    }
    addUnknown(all, places);
    if (frame === null || all.length === 0) return raw;
    if (isLong) yield;
    const sent = Buffer.from(data);
    const apart = clip(all);
    if (isLong) yield;
    const work = replaceInSteps(sent, apart, this.#redactor.put.bind(this.#redactor));
    const changed = isLong ? yield* work : atOnce(work);
    if (isLong) yield;
    return changed === sent ? raw : this.#splitter.rewrite(raw, changed);
  }
}

/** What frames make together comes before what stands in one of them, which may be the same. */
function addUnknown(all: Place[], places: readonly Place[]): void {
  if (places.length === 0) return;
  const nameOf = ({ kind, start, end }: Place) => `${kind} ${start} ${end}`;
  const known = new Set(all.map(nameOf));
  for (const place of places) if (!known.has(nameOf(place))) all.push(place);
}

const join = (first: Buffer, second: Buffer): Buffer =>
  first.length === 0 ? second : second.length === 0 ? first : Buffer.concat([first, second]);

function findRoot([first]: readonly Literal[]): Holder | null {
  let root = first?.holder ?? null;
  while (root !== null && root.parent !== null) root = root.parent;
  return root;
}
