import { asObject } from '../../json/json-shapes.ts';
import { parseFrame } from '../../json/parse-frame.ts';
import { FrameReader } from '../frame-reader.ts';
import type { ReportedCall, StreamReading, Write } from '../operation.ts';
import { addToUsage } from '../sum-usage.ts';
import type { Figures } from './describe-operation.ts';
import { isErrorFrame } from './is-error-frame.ts';

/** The meaning of the events of one kind of stream. */
export interface StreamEvents {
  /** The types of the events that bring a result to its end, with its figures. */
  endings: readonly string[];
  readFigures(frame: unknown): Figures;
  /** Writes the text in an event; absent where the stream is sound or pictures. */
  readText?(frame: unknown, write: Write): void;
}

/** More than any answer has images. */
const maxCalls = 1_000;

const error = /"(?:error"\s*:\s*[{"]|type"\s*:\s*"error")/;

/** Pictures and sound, which take long to parse and hold no figures. */
const media = /"(?:b64_json|audio)"\s*:\s*"[^"]*"/g;

/** A shorter frame is parsed as it is. */
const maxWords = 4 * 1024;

/** Reads streams of images, speech and transcripts: typed events, whose last ones have the figures. */
export class EventStreamReader extends FrameReader {
  readonly #events: StreamEvents;
  readonly #reported: ReportedCall[] = [];
  #hasOthers = false;

  constructor(events: StreamEvents) {
    super(events.readText ?? (() => undefined));
    this.#events = events;
  }

  push(event: string, data: string): void {
    const words = data.length > maxWords ? data.replace(media, '"media":""') : data;
    this.text.add(words);
    const ends = this.#events.endings.some((type) => type === event || data.includes(`"${type}"`));
    if (ends || event === 'error' || error.test(data)) {
      const frame = asObject(parseFrame(words));
      this.failed ||= isErrorFrame(event, frame);
      if (ends) this.#add(this.#events.readFigures(frame));
    }
    this.sawEnd ||= ends || data === '[DONE]';
  }

  override end(): StreamReading {
    if (this.#hasOthers) this.calls = this.#reported;
    return super.end();
  }

  /** Each image of several comes with an event of its own, and figures for it. */
  #add({ usage, calls }: Figures): void {
    if (usage === null) return;
    this.usage = addToUsage(this.usage, usage);
    this.#hasOthers ||= calls !== undefined;
    if (this.#reported.length < maxCalls) this.#reported.push(...(calls ?? [{ model: null, usage }]));
  }
}
