import type { EventMessage } from '@agp/core/events';
import { fromPublicId } from '@agp/core/ids';
import type { ProxyContext } from '../context.ts';

/** Hands an event to the outbox, which sends it until JetStream has it. The agent never waits for that. */
export function publishEvent(context: ProxyContext, event: EventMessage): void {
  const isHeld = context.outbox.add(event.id, JSON.stringify(event));
  // Spent all the same: the cap must not forget it with the event.
  if (!isHeld) context.budget.lose(fromPublicId('evt', event.id) ?? '', event.cost_nano_usd);
}
