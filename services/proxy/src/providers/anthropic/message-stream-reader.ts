import { asObject, asText, type JsonObject } from '../json-shapes.ts';
import type { StreamReader, StreamReading } from '../operation.ts';
import { parseFrame } from '../parse-frame.ts';
import { StreamText } from '../stream-text.ts';
import { readMessageDelta } from './output-text.ts';
import { mergeMessageUsage, readMessageUsage } from './usage.ts';

/** The events that say more than a few words. Inside of text the quotes would be escaped. */
const telling = /"(?:message_start|message_delta|message_stop|error)"/;

/** Reads the events of a message: its input is counted in the first one, its output in `message_delta`. */
export class MessageStreamReader implements StreamReader {
  readonly #text = new StreamText(readMessageDelta);
  #model: string | null = null;
  #usage: JsonObject = {};
  #usageIsFinal = false;
  #sawEnd = false;
  #failed = false;

  push(_event: string, data: string): void {
    if (!telling.test(data)) {
      this.#text.add(data);
      return;
    }
    const frame = asObject(parseFrame(data));
    switch (frame.type) {
      case 'message_start': {
        const message = asObject(frame.message);
        this.#model = asText(message.model);
        this.#usage = mergeMessageUsage(this.#usage, message.usage);
        break;
      }
      case 'message_delta':
        this.#usage = mergeMessageUsage(this.#usage, frame.usage);
        this.#usageIsFinal ||= typeof asObject(frame.usage).output_tokens === 'number';
        break;
      case 'message_stop':
        this.#sawEnd = true;
        break;
      case 'error':
        this.#failed = true;
        break;
      default:
        this.#text.add(data);
    }
  }

  end(): StreamReading {
    const usage = readMessageUsage(this.#usage);
    return {
      model: this.#model,
      usage,
      serviceTier: asText(this.#usage.service_tier),
      usageIsFinal: usage !== null && this.#usageIsFinal,
      sawEnd: this.#sawEnd,
      failed: this.#failed,
      outputText: () => this.#text.read(),
    };
  }
}
