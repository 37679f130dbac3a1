import type { Usage } from '@agp/catalogue';
import type { Frame } from '../../json/frame.ts';
import { asObject } from '../../json/members.ts';
import { StreamText } from '../../text/stream-text.ts';
import { joinUnread } from '../figures.ts';
import { addToUsage, maxReportedCalls, type OnCall, type StreamReader, type StreamReading } from '../operation.ts';
import { joinTiers } from '../tier.ts';
import { readResultText } from './text.ts';
import { readMessageFigures } from './usage.ts';

const maxModel = 256;

/**
 * Reads a message batch's results, a line a request. Each call is reported as it comes, since its price depends on its size.
 */
export class BatchResultsReader implements StreamReader {
  readonly #onCall: OnCall;
  readonly #text = new StreamText(readResultText);
  #model: string | null | undefined;
  #usage: Usage | null = null;
  #calls = 0;
  #isWhole = true;
  #unread: readonly string[] | undefined;

  constructor(onCall: OnCall = () => {}) {
    this.#onCall = onCall;
  }

  push(frame: Frame): void {
    if (frame.data.trim() === '') return;
    if (this.#calls > maxReportedCalls) return;
    if (frame.value() === null) {
      this.#isWhole = false;
      return;
    }
    this.#text.add(frame);
    const { type, message } = asObject(frame.object().result);
    if (type !== 'succeeded') return;
    const { model, usage, calls, serviceTier, charge, unread } = readMessageFigures(message);
    this.#unread = joinUnread(this.#unread, unread);
    if (usage === null) return;
    this.#usage = addToUsage(this.#usage, usage);
    for (const call of calls ?? [{ model, usage, charge }]) {
      this.#calls += 1;
      if (this.#calls > maxReportedCalls) return;
      const named = call.model !== null && call.model.length <= maxModel ? call.model : null;
      this.#model = this.#model === undefined || this.#model === named ? named : null;
      const placed = joinTiers(serviceTier, []);
      const isPlaced = placed?.includes('geo_');
      this.#onCall({ ...call, model: named, ...(isPlaced && { serviceTier: `batch+${placed}` }) });
    }
  }

  end(): StreamReading {
    return {
      model: this.#model ?? null,
      usage: this.#usage,
      serviceTier: 'batch',
      usageIsFinal: this.#usage !== null,
      unread: this.#unread,
      // Nothing in the file says where it ends.
      sawEnd: false,
      failed: false,
      isCutShort: this.#calls > maxReportedCalls,
      outputText: () => {
        const { parts, whole } = this.#text.read();
        return { parts, whole: whole && this.#isWhole };
      },
      besideText: () => this.#text.readBeside(),
    };
  }
}
