import type { Usage } from '@agp/pricing';
import { asObject } from '../json-shapes.ts';
import type { ReportedCall, StreamReader, StreamReading, Write } from '../operation.ts';
import { parseFrame } from '../parse-frame.ts';
import { StreamText } from '../stream-text.ts';
import { addUsage } from '../sum-usage.ts';
import type { Figures } from './describe-operation.ts';
import { isErrorFrame } from './is-error-frame.ts';

/** What the events of one kind of stream mean. */
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

/** Pictures and sound, which would take long to parse and tell nothing. */
const media = /"(?:b64_json|audio)"\s*:\s*"[^"]*"/g;

/** A shorter frame is parsed as it is. */
const maxWords = 4 * 1024;

/** Reads streams of images, speech and transcripts: typed events, of which the last ones have the figures. */
export class EventStreamReader implements StreamReader {
  readonly #events: StreamEvents;
  readonly #text: StreamText;
  #usage: Usage | null = null;
  readonly #calls: ReportedCall[] = [];
  #hasOthers = false;
  #sawEnd = false;
  #failed = false;

  constructor(events: StreamEvents) {
    this.#events = events;
    this.#text = new StreamText(events.readText ?? (() => undefined));
  }

  push(event: string, data: string): void {
    const words = data.length > maxWords ? data.replace(media, '"media":""') : data;
    this.#text.add(words);
    const ends = this.#events.endings.some((type) => type === event || data.includes(`"${type}"`));
    if (ends || event === 'error' || error.test(data)) {
      const frame = asObject(parseFrame(words));
      this.#failed ||= isErrorFrame(event, frame);
      if (ends) this.#add(this.#events.readFigures(frame));
    }
    this.#sawEnd ||= ends || data === '[DONE]';
  }

  end(): StreamReading {
    return {
      model: null,
      usage: this.#usage,
      ...(this.#hasOthers && { calls: this.#calls }),
      serviceTier: null,
      usageIsFinal: this.#usage !== null,
      sawEnd: this.#sawEnd,
      failed: this.#failed,
      outputText: () => this.#text.read(),
      besideText: () => this.#text.readBeside(),
    };
  }

  /** Each image of several comes with an event of its own, and figures for it. */
  #add({ usage, calls }: Figures): void {
    if (usage === null) return;
    if (this.#usage === null) this.#usage = { ...usage };
    else addUsage(this.#usage, usage);
    this.#hasOthers ||= calls !== undefined;
    if (this.#calls.length < maxCalls) this.#calls.push(...(calls ?? [{ model: null, usage }]));
  }
}
