import { asObject, asText } from '../../../json/json-shapes.ts';
import { parseFrame } from '../../../json/parse-frame.ts';
import { FrameReader } from '../../frame-reader.ts';
import type { Writing } from '../../operation.ts';
import { isErrorFrame } from '../is-error-frame.ts';
import { readResponseFigures } from './response-figures.ts';
import { createResponseEventReader, readResponseText } from './response-text.ts';

/** The events that end a response, or say that it failed. */
const telling = /"(?:response\.(?:completed|incomplete|failed)|error)"/;

const endings = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed']);

/** Reads the events of the Responses API. The last one has the usage, and repeats the whole response. */
export class ResponseStreamReader extends FrameReader {
  #lastFrame: string | null = null;

  constructor() {
    super(createResponseEventReader());
  }

  push(event: string, data: string): void {
    const tells = event === 'error' || telling.test(data);
    if (!tells) this.text.add(data);
    if (this.model !== null && !tells) return;
    const frame = asObject(parseFrame(data));
    const ends = endings.has(frame.type);
    // Items have an error member too, mostly null. The end repeats everything that was written.
    if (tells && !ends) this.text.add(data);
    const response = asObject(frame.response);
    this.model ??= asText(response.model);
    this.serviceTier = asText(response.service_tier) ?? this.serviceTier;
    if (ends) {
      const { usage, calls } = readResponseFigures(response);
      this.usage = usage;
      this.calls = calls;
      this.#lastFrame = data;
      this.text.addBeside(frame, data);
    }
    this.failed ||= frame.type === 'response.failed' || isErrorFrame(event, frame);
    this.sawEnd ||= ends;
  }

  /** A server that does not really stream gives all of it in the last event. */
  protected override readText(): Writing {
    const text = this.text.read();
    if (text.parts.length > 0 || this.#lastFrame === null) return text;
    return readResponseText(asObject(parseFrame(this.#lastFrame)).response);
  }

  protected override readUncounted(): Writing {
    return this.readText();
  }
}
