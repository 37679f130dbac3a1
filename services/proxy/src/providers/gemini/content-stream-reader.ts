import { asObject, asText } from '../json-shapes.ts';
import type { StreamReader, StreamReading } from '../operation.ts';
import { parseFrame } from '../parse-frame.ts';
import { StreamText } from '../stream-text.ts';
import { readContent } from './output-text.ts';
import { readContentUsage } from './usage.ts';

const figures = /"usageMetadata"\s*:\s*\{/;
const end = /"(?:finishReason|blockReason)"\s*:\s*"/;
const error = /"error"\s*:\s*\{/;

/** Reads the frames of streamGenerateContent. Each counts all until then, so the last one's figures are the call's. */
export class ContentStreamReader implements StreamReader {
  readonly #text = new StreamText(readContent);
  #lastFigures: string | null = null;
  #sawEnd = false;
  #failed = false;

  push(_event: string, data: string): void {
    this.#text.add(data);
    if (figures.test(data)) this.#lastFigures = data;
    if (end.test(data)) this.#sawEnd = true;
    if (error.test(data)) this.#failed ||= 'error' in asObject(parseFrame(data));
  }

  end(): StreamReading {
    const frame = asObject(this.#lastFigures === null ? null : parseFrame(this.#lastFigures));
    const usage = readContentUsage(frame.usageMetadata);
    return {
      model: asText(frame.modelVersion),
      usage,
      serviceTier: null,
      usageIsFinal: usage !== null && this.#sawEnd,
      sawEnd: this.#sawEnd,
      failed: this.#failed,
      outputText: () => this.#text.read(),
    };
  }
}
