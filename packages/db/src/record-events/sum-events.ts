import { isFailed } from '@agp/core/explain';
import { nanoToDecimal } from '@agp/core/money';
import { findBucket, type Span, spans } from '../usage-columns.ts';
import type { RecordableEvent } from './recordable-event.ts';

export class Totals {
  /** The event with the greatest id, which is the latest one. */
  latest: RecordableEvent;
  firstAt: string;
  lastAt: string;
  events = 0;
  requests = 0;
  failed = 0;
  /** Calls by each span, as `bucketColumns` has them; empty for 0. */
  readonly buckets: Record<Span, (number | undefined)[]> = { duration_ms: [], first_byte_ms: [] };
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
    for (const span of spans) this.#count(span, event[span]);
    if (event.pii_detected) this.piiDetected = true;
    this.promptTokens += BigInt(event.prompt_tokens);
    this.completionTokens += BigInt(event.completion_tokens);
    this.totalTokens += BigInt(event.total_tokens);
    this.#costNanoUsd += BigInt(event.cost_nano_usd);
  }

  #count(span: Span, ms: number | null): void {
    if (ms === null) return;
    const at = findBucket(ms);
    this.buckets[span][at] = (this.buckets[span][at] ?? 0) + 1;
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
