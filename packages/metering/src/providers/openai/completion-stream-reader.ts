import type { Usage } from '@agp/pricing';
import { asArray, asObject, asText, type JsonObject } from '../json-shapes.ts';
import type { StreamReader, StreamReading, Write } from '../operation.ts';
import { parseFrame } from '../parse-frame.ts';
import { StreamText } from '../stream-text.ts';
import { isErrorFrame } from './is-error-frame.ts';
import { isNoReasoning } from './output-text.ts';
import { findUsage, readTokenUsage } from './usage.ts';

/** Frames with figures, an end or an error. Inside of text the quotes would be escaped, so this is never fooled by it. */
const telling = /"(?:usage"\s*:\s*\{|error"\s*:\s*[{"]|finish_reason"\s*:\s*"[^"]|(?:object|type)"\s*:\s*"error")/;

/**
 * Reads the chunks of chat completions and completions. Usage stands in the last chunk, where it was asked for. What ends
 * them is `[DONE]`, or for servers that leave that out a finish reason after which no choice is written on.
 */
export class CompletionStreamReader implements StreamReader {
  readonly #readFrame: (frame: unknown, write: Write) => void;
  readonly #text: StreamText;
  #model: string | null = null;
  #usage: Usage | null = null;
  #serviceTier: string | null = null;
  #usageIsWhole = false;
  #isFinished = false;
  #sawDone = false;
  #failed = false;

  constructor(readFrame: (frame: unknown, write: Write) => void) {
    this.#readFrame = readFrame;
    this.#text = new StreamText(readFrame);
  }

  push(event: string, data: string): void {
    if (data === '[DONE]') {
      this.#sawDone = true;
      return;
    }
    this.#text.add(data);
    if (this.#model !== null && !this.#isFinished && event !== 'error' && !telling.test(data)) return;
    const frame = asObject(parseFrame(data));
    this.#model ??= asText(frame.model);
    this.#serviceTier = asText(frame.service_tier) ?? this.#serviceTier;
    this.#failed ||= isErrorFrame(event, frame);
    const choices = asArray(frame.choices);
    // One choice may end long before another.
    if (choices.some((choice) => asText(asObject(choice).finish_reason) !== null)) this.#isFinished = true;
    else if (this.#isFinished && this.#writesOn(frame)) this.#isFinished = false;
    const usage = readTokenUsage(findUsage(frame));
    if (usage === null) return;
    this.#usage = usage;
    // Some servers count along on every chunk: those figures are whole with the end only.
    this.#usageIsWhole = choices.length === 0 || this.#isFinished;
  }

  end(): StreamReading {
    const sawEnd = this.#sawDone || this.#isFinished;
    return {
      model: this.#model,
      usage: this.#usage,
      serviceTier: this.#serviceTier,
      usageIsFinal: this.#usage !== null && (this.#usageIsWhole || this.#sawDone),
      sawEnd,
      failed: this.#failed,
      outputText: () => this.#text.read(),
      besideText: () => this.#text.readBeside(),
      // Servers that count along on every chunk count the reasoning that they show, too.
      ...(this.#usage && this.#usage.reasoningTokens > 0 && { uncountedText: () => this.#text.read(isNoReasoning) }),
    };
  }

  #writesOn(frame: JsonObject): boolean {
    let wrote = false;
    this.#readFrame(frame, (_channel, text) => {
      wrote ||= text !== '';
    });
    return wrote;
  }
}
