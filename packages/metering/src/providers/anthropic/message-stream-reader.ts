import { asObject, asText, type JsonObject } from '../json-shapes.ts';
import type { StreamReader, StreamReading } from '../operation.ts';
import { parseFrame } from '../parse-frame.ts';
import { StreamText } from '../stream-text.ts';
import { readMessageDelta } from './output-text.ts';
import { mergeMessageUsage, readMessageFigures } from './usage.ts';

/** The events that say more than a few words. Inside of text the quotes would be escaped. */
const telling = /"(?:message_start|message_delta|message_stop|error)"/;

/** Reads the events of a message: its input is counted in the first one, its output in `message_delta`. */
export class MessageStreamReader implements StreamReader {
  readonly #text = new StreamText(readMessageDelta);
  #model: string | null = null;
  #usage: JsonObject = {};
  #outputIsCounted = false;
  #sawEnd = false;
  #failed = false;

  push(event: string, data: string): void {
    if (!telling.test(data) && event !== 'message_stop') {
      this.#text.add(data);
      return;
    }
    const frame = asObject(parseFrame(data));
    this.#text.addBeside(frame);
    switch (frame.type ?? event) {
      case 'message_start': {
        const message = asObject(frame.message);
        this.#model = asText(message.model) ?? this.#model;
        this.#usage = mergeMessageUsage(this.#usage, message.usage);
        break;
      }
      case 'message_delta':
        this.#usage = mergeMessageUsage(this.#usage, frame.usage);
        this.#outputIsCounted ||= typeof asObject(frame.usage).output_tokens === 'number';
        // Some servers leave out `message_stop`. After a reason to stop the model writes nothing more.
        this.#sawEnd ||= asText(asObject(frame.delta).stop_reason) !== null;
        break;
      case 'message_stop':
        this.#sawEnd = true;
        break;
      case 'error':
        this.#failed = true;
        break;
      default:
        if (frame.type === undefined && frame.error) this.#failed = true;
        else this.#text.add(data);
    }
  }

  end(): StreamReading {
    const figures = readMessageFigures({ model: this.#model, usage: this.#usage });
    return {
      ...figures,
      usageIsFinal: figures.usage !== null && this.#outputIsCounted,
      sawEnd: this.#sawEnd,
      failed: this.#failed,
      outputText: () => this.#text.read(),
      besideText: () => this.#text.readBeside(),
    };
  }
}
