import { type EventMessage, encodeEvent } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import type { ProxyContext } from '../context.ts';

/** Adds an event to the outbox, which sends it until JetStream has it. The agent never waits for that. */
export function publishEvent(context: ProxyContext, event: EventMessage): void {
  const encoded = encodeEvent(event);
  const isHeld = context.outbox.add(event.id, encoded.event, encoded.notes);
  // The money is spent all the same, so the cap must keep counting it.
  if (!isHeld) context.budget.lose(uuidOf('evt', event.id), event.cost_nano_usd);
}
