import { isFailed } from '@agp/core/explain';
import { nanoToDecimal } from '@agp/core/money';
import { durationColumns, findBucket } from '../usage-columns.ts';
import type { RecordableEvent } from './recordable-event.ts';

export class Totals {
  /** The event with the greatest id, which is the latest one. */
  latest: RecordableEvent;
  firstAt: string;
  lastAt: string;
  events = 0;
  requests = 0;
  failed = 0;
  /** Calls by their duration, as `durationColumns` has them. */
  readonly durations = durationColumns.map(() => 0);
  piiDetected = false;
  // Sums of safe integers are not safe integers.
  promptTokens = 0n;
  completionTokens = 0n;
  totalTokens = 0n;
  #costNanoUsd = 0n;

  constructor(first: RecordableEvent) {
    this.latest = first;
    this.firstAt = first.event.timestamp;
    this.lastAt = first.event.timestamp;
  }

  add(row: RecordableEvent): void {
    const { event } = row;
    if (row.id > this.latest.id) this.latest = row;
    if (event.timestamp < this.firstAt) this.firstAt = event.timestamp;
    if (event.timestamp > this.lastAt) this.lastAt = event.timestamp;
    this.events += 1;
    if (event.counts_as_request) this.requests += 1;
    if (isFailed(event)) this.failed += 1;
    if (event.duration_ms !== null) this.#countDuration(event.duration_ms);
    if (event.pii_detected) this.piiDetected = true;
    this.promptTokens += BigInt(event.prompt_tokens);
    this.completionTokens += BigInt(event.completion_tokens);
    this.totalTokens += BigInt(event.total_tokens);
    this.#costNanoUsd += BigInt(event.cost_nano_usd);
  }

  #countDuration(ms: number): void {
    const at = findBucket(ms);
    this.durations[at] = (this.durations[at] ?? 0) + 1;
  }

  /** USD, exact, for `numeric`. */
  get costUsd(): string {
    return nanoToDecimal(this.#costNanoUsd);
  }
}

export function totalsBy<Row extends RecordableEvent>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Map<string, Totals> {
  const groups = new Map<string, Totals>();
  for (const row of rows) {
    const key = keyOf(row);
    let totals = groups.get(key);
    if (totals === undefined) {
      totals = new Totals(row);
      groups.set(key, totals);
    }
    totals.add(row);
  }
  return groups;
}
