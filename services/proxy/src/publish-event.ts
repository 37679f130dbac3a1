import type { EventMessage } from '@agp/core/events';
import type { ProxyContext } from './context.ts';

/** Hands an event to the outbox, which sends it until JetStream has it. The agent never waits for that. */
export function publishEvent(context: ProxyContext, event: EventMessage): void {
  context.outbox.add(event.id, JSON.stringify(event));
}
