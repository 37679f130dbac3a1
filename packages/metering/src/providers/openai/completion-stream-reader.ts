import { asArray, asObject, asText, type JsonObject } from '../../json/json-shapes.ts';
import { parseFrame } from '../../json/parse-frame.ts';
import { FrameReader } from '../frame-reader.ts';
import type { StreamReading, Write } from '../operation.ts';
import { isErrorFrame } from './is-error-frame.ts';
import { findUsage, readTokenUsage } from './usage.ts';

/** Frames with figures, an end or an error. Inside of text the quotes would be escaped, so this is never fooled by it. */
const telling = /"(?:usage"\s*:\s*\{|error"\s*:\s*[{"]|finish_reason"\s*:\s*"[^"]|(?:object|type)"\s*:\s*"error")/;

/**
 * Reads the chunks of chat completions and completions. The last chunk has the usage, if it was asked for. They end with
 * `[DONE]`, or on servers that leave it out with a finish reason after which no choice goes on.
 */
export class CompletionStreamReader extends FrameReader {
  readonly #readFrame: (frame: unknown, write: Write) => void;
  #usageIsWhole = false;
  #isFinished = false;
  #sawDone = false;

  constructor(readFrame: (frame: unknown, write: Write) => void) {
    super(readFrame);
    this.#readFrame = readFrame;
  }

  push(event: string, data: string): void {
    if (data === '[DONE]') {
      this.#sawDone = true;
      return;
    }
    this.text.add(data);
    if (this.model !== null && !this.#isFinished && event !== 'error' && !telling.test(data)) return;
    const frame = asObject(parseFrame(data));
    this.model ??= asText(frame.model);
    this.serviceTier = asText(frame.service_tier) ?? this.serviceTier;
    this.failed ||= isErrorFrame(event, frame);
    const choices = asArray(frame.choices);
    // One choice may end long before another.
    if (choices.some((choice) => asText(asObject(choice).finish_reason) !== null)) this.#isFinished = true;
    else if (this.#isFinished && this.#writesOn(frame)) this.#isFinished = false;
    const usage = readTokenUsage(findUsage(frame));
    if (usage === null) return;
    this.usage = usage;
    // Some servers count along on every chunk: those figures are whole with the end only.
    this.#usageIsWhole = choices.length === 0 || this.#isFinished;
  }

  override end(): StreamReading {
    this.sawEnd = this.#sawDone || this.#isFinished;
    return super.end();
  }

  protected override isUsageFinal(): boolean {
    return this.#usageIsWhole || this.#sawDone;
  }

  #writesOn(frame: JsonObject): boolean {
    let wrote = false;
    this.#readFrame(frame, (_channel, text) => {
      wrote ||= text !== '';
    });
    return wrote;
  }
}
