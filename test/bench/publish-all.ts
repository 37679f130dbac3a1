import { type BusConnection, Outbox } from '@agp/bus';
import type { EventMessage } from '@agp/core/events';

/**
 * Publishes events as a proxy does. Throws when one was not taken in within two minutes.
 *
 * @returns when it began to send, on the clock of `performance.now()`: none is sent before all are there
 */
export async function publishAll(connection: BusConnection, traffic: readonly EventMessage[]): Promise<number> {
  const outbox = new Outbox(connection, { capacity: traffic.length });
  for (const event of traffic) outbox.add(event.id, JSON.stringify(event));
  const started = performance.now();
  const left = await outbox.drain(120_000);
  outbox.stop();
  if (left > 0) throw new Error(`${left} events could not be published`);
  return started;
}
