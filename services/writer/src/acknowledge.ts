import type { DeliveredEvent } from '@agp/bus';

/** Acknowledges messages to JetStream. One whose acknowledgement is lost is delivered again, and recognized then. */
export function acknowledge(batch: readonly { delivered: DeliveredEvent }[]): void {
  for (const { delivered } of batch) delivered.acknowledge();
}
