import type { DeliveredEvent } from '@agp/bus';

/** Tells JetStream that messages are done with. One whose acknowledgement is lost comes again, and is known then. */
export function acknowledge(batch: readonly { delivered: DeliveredEvent }[]): void {
  for (const { delivered } of batch) delivered.acknowledge();
}
