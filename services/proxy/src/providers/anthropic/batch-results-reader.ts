import type { Usage } from '@agp/core/pricing';
import { asObject } from '../json-shapes.ts';
import type { ReportedCall, StreamReader, StreamReading } from '../operation.ts';
import { parseFrame } from '../parse-frame.ts';
import { StreamText } from '../stream-text.ts';
import { sumUsage } from '../sum-usage.ts';
import { readResultText } from './output-text.ts';
import { readMessageFigures } from './usage.ts';

/**
 * Reads the results of a message batch, a line for each of its requests. Only what succeeded is billed. The calls stay
 * apart, since what a call costs depends on its own size: a batch holds at most 100,000.
 */
export class BatchResultsReader implements StreamReader {
  readonly #text = new StreamText(readResultText);
  readonly #calls: ReportedCall[] = [];
  #usage: Usage | null = null;
  #isWhole = true;

  push(_event: string, data: string): void {
    if (data.trim() === '') return;
    const line = parseFrame(data);
    if (line === null) {
      this.#isWhole = false;
      return;
    }
    this.#text.add(data);
    const { type, message } = asObject(asObject(line).result);
    if (type !== 'succeeded') return;
    const { model, usage, calls } = readMessageFigures(message);
    if (usage === null) return;
    this.#usage = this.#usage === null ? usage : sumUsage(this.#usage, [usage]);
    for (const call of calls ?? [{ model, usage }]) this.#calls.push(call);
  }

  end(): StreamReading {
    const models = new Set(this.#calls.map(({ model }) => model));
    return {
      model: models.size === 1 ? (this.#calls[0]?.model ?? null) : null,
      usage: this.#usage,
      serviceTier: 'batch',
      calls: this.#calls,
      usageIsFinal: this.#usage !== null,
      // Nothing in the file says where it ends.
      sawEnd: false,
      failed: false,
      outputText: () => {
        const { parts, whole } = this.#text.read();
        return { parts, whole: whole && this.#isWhole };
      },
      besideText: () => this.#text.readBeside(),
    };
  }
}
