import type { Usage } from '@agp/core/pricing';
import { asArray, asObject, asText } from '../json-shapes.ts';
import type { StreamReader, StreamReading, Write } from '../operation.ts';
import { parseFrame } from '../parse-frame.ts';
import { StreamText } from '../stream-text.ts';
import { readResponseDelta } from './output-text.ts';
import { readCompletionUsage, readResponseUsage } from './usage.ts';

/** Frames with figures or an error. Inside of text the quotes would be escaped, so this is never fooled by it. */
const figuresOrError = /"(?:usage"\s*:\s*\{|error"\s*:\s*[{"])/;

/** Reads the chunks of chat completions and completions. Usage stands in the last chunk, where it was asked for. */
export class CompletionStreamReader implements StreamReader {
  readonly #text: StreamText;
  #model: string | null = null;
  #usage: Usage | null = null;
  #serviceTier: string | null = null;
  #usageStandsAlone = false;
  #sawEnd = false;
  #failed = false;

  constructor(readFrame: (frame: unknown, write: Write) => void) {
    this.#text = new StreamText(readFrame);
  }

  push(_event: string, data: string): void {
    if (data === '[DONE]') {
      this.#sawEnd = true;
      return;
    }
    this.#text.add(data);
    if (this.#model !== null && !figuresOrError.test(data)) return;
    const frame = asObject(parseFrame(data));
    this.#model ??= asText(frame.model);
    this.#serviceTier = asText(frame.service_tier) ?? this.#serviceTier;
    this.#failed ||= Boolean(frame.error);
    const usage = readCompletionUsage(frame.usage);
    if (usage === null) return;
    this.#usage = usage;
    this.#usageStandsAlone = asArray(frame.choices).length === 0;
  }

  end(): StreamReading {
    return {
      model: this.#model,
      usage: this.#usage,
      serviceTier: this.#serviceTier,
      // Some servers count along on every chunk: then only the stream's end makes the figures whole.
      usageIsFinal: this.#usage !== null && (this.#usageStandsAlone || this.#sawEnd),
      sawEnd: this.#sawEnd,
      failed: this.#failed,
      outputText: () => this.#text.read(),
    };
  }
}

/** The events that end a response, or say that it failed. */
const telling = /"(?:response\.(?:completed|incomplete|failed)|error)"/;

/** Reads the events of the Responses API. Usage stands in the last one, which repeats the whole response. */
export class ResponseStreamReader implements StreamReader {
  readonly #text = new StreamText(readResponseDelta);
  #model: string | null = null;
  #usage: Usage | null = null;
  #serviceTier: string | null = null;
  #sawEnd = false;
  #failed = false;

  push(_event: string, data: string): void {
    if (data === '[DONE]') return;
    const tells = telling.test(data);
    if (!tells) this.#text.add(data);
    if (this.#model !== null && !tells) return;
    const frame = asObject(parseFrame(data));
    const response = asObject(frame.response);
    this.#model ??= asText(response.model);
    this.#serviceTier = asText(response.service_tier) ?? this.#serviceTier;
    this.#usage = readResponseUsage(response.usage) ?? this.#usage;
    const { type } = frame;
    this.#failed ||= type === 'error' || type === 'response.failed' || Boolean(frame.error);
    this.#sawEnd ||= type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';
  }

  end(): StreamReading {
    return {
      model: this.#model,
      usage: this.#usage,
      serviceTier: this.#serviceTier,
      usageIsFinal: this.#usage !== null && this.#sawEnd,
      sawEnd: this.#sawEnd,
      failed: this.#failed,
      outputText: () => this.#text.read(),
    };
  }
}
